package cli

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// A variable gives a flag of any type its value. A flag wins over its variable. An empty variable counts as not set.
func TestVariablesOfFlags(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"PAYCTL_SERVE_ADDR": "127.0.0.1:1", "PAYCTL_SERVE_DATA": "folder", "PAYCTL_SERVE_FAULT": "*=drop\r\n\n*=reset\n",
		"PAYCTL_SERVE_KYC_DELAY": "7s", "PAYCTL_SERVE_SEED": "7", "PAYCTL_SERVE_ANY_CLIENT": "true",
		"PAYCTL_SERVE_CHECK": "", "PAYCTL_QUIET": "true", "PAYCTL_VERBOSE": "true",
	}
	errNotStarted := errors.New("not started")
	d := &cmdutil.Deps{
		Streams: &ui.Streams{In: &bytes.Buffer{}, Out: io.Discard, Err: io.Discard}, Options: &cmdutil.Options{},
		Getenv: func(name string) string { return environment[name] },
		Config: func() (*settings.File, error) { return nil, errNotStarted },
	}
	served := serve.New(d, func(refserver.Config) (*refserver.Server, error) { return nil, errNotStarted })
	root := New(d, map[string]func() *cobra.Command{
		"auth":   func() *cobra.Command { return cmdutil.Group("auth", "") },
		"doctor": func() *cobra.Command { return NewDoctor(nil, nil) },
		"serve":  func() *cobra.Command { return served },
	})
	root.SetArgs([]string{serveName, "--addr", "127.0.0.1:2", "--quiet=false"})
	require.ErrorIs(t, root.ExecuteContext(t.Context()), errNotStarted)
	for name, want := range map[string]string{
		"addr": "127.0.0.1:2", "data": "folder", "fault": "[*=drop,*=reset]", "seed": "7", "any-client": "true",
	} {
		require.Equal(t, want, served.Flags().Lookup(name).Value.String(), name)
		require.True(t, served.Flags().Changed(name), name)
	}
	require.True(t, served.Flags().Changed("kyc-delay"), "a duration is not kept as text")
	require.False(t, served.Flags().Changed("check"))
	require.False(t, d.Options.Quiet)
	require.True(t, d.Options.Verbose)
}
