package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/ui"
)

// serveCommand is the command serve, of which no service comes.
func serveCommand() *cobra.Command {
	d := &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Options: &cmdutil.Options{}}
	d.Getenv = func(string) string { return "" }
	return serve.New(d, func(refserver.Config) (*refserver.Server, error) { return nil, errNotStarted })
}

var errNotStarted = errors.New("not started")

// A line makes only the commands that it needs.
func TestALineMakesOneNoun(t *testing.T) {
	t.Parallel()
	below := func(args ...string) []string {
		var names []string
		for _, cmd := range New(&cmdutil.Deps{
			Streams: &ui.Streams{}, Options: &cmdutil.Options{}, Args: args,
			Enum: func(string, string) []string { return nil }, Serve: serveCommand,
		}).Commands() {
			names = append(names, cmd.Name())
		}
		return names
	}
	all := below()
	require.Greater(t, len(all), len(nouns))
	for _, noun := range nouns {
		require.Equal(t, []string{noun.name}, below(noun.name, "--help"), "the name in the table is that of the command")
		require.Contains(t, all, noun.name)
	}
	for _, line := range []string{
		"transfers list", "-q transfer list", "help transfer", "__complete transfer", "completion bash", "wrong", "--version",
	} {
		require.Equal(t, all, below(strings.Fields(line)...), line)
	}
}

// An outcome is the error or the output of a line, without what its command does.
type outcome struct {
	err, helpError error
	out            string
}

// run executes a line, with only the commands that are made for it or with all of them.
func run(args []string, all bool) outcome {
	var out bytes.Buffer
	d := &cmdutil.Deps{
		Streams: &ui.Streams{In: &out, Out: &out, Err: &out}, Options: &cmdutil.Options{}, Args: args,
		Getenv: func(string) string { return "" },
		Enum:   func(string, string) []string { return nil },
		Serve:  serveCommand,
	}
	if all {
		d.Args = nil
	}
	root := New(d)
	d.Args = args
	root.SetArgs(args)
	everyCommand(root, func(cmd *cobra.Command) {
		if cmd.RunE != nil && (!cmd.HasSubCommands() || cmd.Name() == serveName) {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				fmt.Fprintln(&out, cmd.CommandPath(), "runs with", args)
				return nil
			}
		}
	})
	cmd, err := root.ExecuteC()
	return outcome{WithNextStep(cmd, err), d.HelpError, out.String()}
}

// Whatever a line has wrong, and whichever help it asks for: the commands that were not made for it are not missed.
func TestOneNounIsExplainedLikeAll(t *testing.T) {
	t.Parallel()
	lines := []string{
		"transfer payctl accounts list", "transfer login", "transfer submit x", "kyc get_1", "accounts contacts list",
		"transfer list --unknown", "transfer --limit 3 lst", "transfer --output json lst --reference x",
		"transfer -o json --limit 3 list", "transfer auto --wait nothing --here", "routes list --help", "transfer --help",
		"transfer -o json list --help", "transfer --limit 3 lst --help", "transfer --tz UTC wrong --help",
		"transfer --check lst", "transfer --check lst --help", "transfer --unknown accounts list",
		"transfer help", "transfer help auto", "transfer help wrong", "transfer auto --amount --yes", "sandbox help clock",
		"version --help", "version x", "serve --help", "serve --data", "serve --db x", "profile -o json", "api", "ping x",
	}
	for key := range guesses("") {
		key = strings.Replace(key, anyCommand, "transfer list ", 1)
		lines = append(lines, key, key+" some_1", key+" --help", "transfer "+key)
	}
	every := tree()
	everyCommand(every, func(cmd *cobra.Command) {
		if !isTopic(cmd) && cmd != every {
			lines = append(lines, strings.TrimPrefix(cmd.CommandPath(), "payctl ")+" --help")
		}
	})
	slices.Sort(lines)
	partial := 0
	for _, line := range slices.Compact(lines) {
		args := strings.Fields(line)
		require.Equal(t, run(args, true), run(args, false), line)
		if slices.ContainsFunc(nouns, func(n noun) bool { return n.name == args[0] }) {
			partial++
		}
	}
	require.Greater(t, partial, 500)
}
