package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// serveCommand is the command serve, of which no service comes.
func serveCommand() *cobra.Command {
	d := &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Options: &cmdutil.Options{}}
	d.Getenv = func(string) string { return "" }
	d.Config = func() (*settings.File, error) { return nil, errNotStarted }
	return serve.New(d, func(refserver.Config) (*refserver.Server, error) { return nil, errNotStarted })
}

// ownNouns are those that New is given. None but serve is run.
var ownNouns = map[string]func() *cobra.Command{
	"auth": func() *cobra.Command { return cmdutil.Group("auth", "") }, "serve": serveCommand,
	"doctor": func() *cobra.Command { return NewDoctor(nil, nil) },
}

var errNotStarted = errors.New("not started")

// program is the command line with an environment, whose serve only takes its flags.
func program(environment map[string]string) (d *cmdutil.Deps, run func(args ...string) error, flag func(name string) *pflag.Flag) {
	var out bytes.Buffer
	d = &cmdutil.Deps{
		Streams: &ui.Streams{In: &out, Out: &out, Err: &out}, Options: &cmdutil.Options{},
		Getenv: func(name string) string { return environment[name] },
	}
	root := New(d, ownNouns)
	return d, func(args ...string) error {
			root.SetArgs(args)
			return root.ExecuteContext(context.Background())
		}, func(name string) *pflag.Flag {
			serve, _, _ := root.Find([]string{serveName})
			return serve.Flags().Lookup(name)
		}
}

// Every global flag and every flag of serve has a variable, which gives it its value where the command line does not.
func TestEveryFlagHasAVariable(t *testing.T) {
	t.Parallel()
	root := New(&cmdutil.Deps{Streams: &ui.Streams{}, Options: &cmdutil.Options{}}, ownNouns)
	topic, _, err := root.Find([]string{"environment"})
	require.NoError(t, err)
	serve, _, err := root.Find([]string{serveName})
	require.NoError(t, err)
	texts := map[string]string{"bool": "true", "func": "7s", "int": "7", "uint64": "7"}
	check := func(f *pflag.Flag, variable string, isSetting bool) {
		require.Contains(t, topic.Long, variable)
		text, ok := texts[f.Value.Type()]
		if !ok {
			text = "seven"
		}
		if f.Name == "host" {
			text = "seven.test"
		}
		_, run, flag := program(map[string]string{variable: text})
		_ = run(serveName) // which may refuse the value, or a flag without another one
		if isSetting {
			require.Equal(t, f.Value.String(), flag(f.Name).Value.String(), "package settings reads %s", variable)
			return
		}
		require.True(t, f.Value.Type() == "func" && flag(f.Name).Changed || strings.Contains(flag(f.Name).Value.String(), text), variable)
	}
	count := 0
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "curl" { // which does not concern serve
			_, isSetting := settings.OfFlag(f.Name)
			check(f, settings.Variable(f.Name), isSetting)
		}
		count++
	})
	for _, f := range ownFlags(serve) {
		check(f, settings.Variable(serveName, f.Name), false)
		count++
	}
	require.Greater(t, count, 30)
}

// A flag wins over its variable, also one with another letter, and an empty variable counts as not set.
func TestAFlagWinsOverItsVariable(t *testing.T) {
	t.Parallel()
	d, run, flag := program(map[string]string{
		"PAYCTL_SERVE_ADDR": "127.0.0.1:1", "PAYCTL_SERVE_FAULT": "*=drop\r\n\n*=reset\n", "PAYCTL_SERVE_CHECK": "", "PAYCTL_QUIET": "true",
	})
	require.ErrorIs(t, run(serveName, "--addr", "127.0.0.1:2", "--quiet=false"), errNotStarted)
	require.Equal(t, "127.0.0.1:2", flag("addr").Value.String())
	require.Equal(t, "[*=drop,*=reset]", flag("fault").Value.String())
	require.False(t, flag("check").Changed)
	require.False(t, d.Options.Quiet)
	require.True(t, flag("fault").Changed)
}
