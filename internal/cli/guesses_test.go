package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// tree returns the commands without anything that they need to run.
func tree() *cobra.Command {
	return Documented(&cmdutil.Deps{
		Streams: &ui.Streams{}, Options: &cmdutil.Options{},
		Getenv: func(string) string { return "" },
		Enum:   func(string, string) []string { return nil },
		Serve:  serveCommand,
	})
}

// No guess is about a command or flag that exists, and each proposes only lines that the program accepts.
func TestGuessesPropose(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(guesses("")), 150)
	root, seen := tree(), map[string]bool{}
	for _, arg := range []string{"", "some_1"} {
		for key, guess := range guesses(arg) {
			words := strings.Fields(key)
			wrong := words[len(words)-1]
			if path := words[:len(words)-1]; strings.Join(path, " ")+" " != anyCommand {
				cmd, rest, err := root.Find(path)
				require.NoError(t, err)
				require.Empty(t, rest, key)
				require.Nil(t, child(cmd, wrong), "%s exists", key)
				if flag, ok := strings.CutPrefix(wrong, "--"); ok {
					require.Nil(t, cmd.Flags().Lookup(flag), "%s exists", key)
				}
			}
			require.NotEmpty(t, guess.next, key)
			require.NotRegexp(t, `\.$`, guess.why, key)
			for _, line := range guess.next {
				if !seen[line] {
					requireAccepted(t, line)
				}
				seen[line] = true
			}
		}
	}
}

// requireAccepted fails unless the program accepts the arguments of a line.
func requireAccepted(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, "   (")
	line, _, _ = strings.Cut(line, " < ")
	args, ok := strings.CutPrefix(line, "payctl ")
	require.True(t, ok, line)
	cmd, rest, err := tree().Find(strings.Fields(args))
	require.NoError(t, err, line)
	cmd.InitDefaultHelpFlag()
	require.NoError(t, cmd.ParseFlags(rest), line)
	if asksForHelp, _ := cmd.Flags().GetBool("help"); !asksForHelp {
		require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), line)
	}
}

// Each other name of a flag leads to a flag that some command has, and is not the name of a flag wherever it would be used.
func TestRenamedFlagsExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	var collect func(*cobra.Command)
	collect = func(cmd *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		}
		for _, below := range cmd.Commands() {
			collect(below)
		}
	}
	collect(tree())
	for name, others := range renamedFlags() {
		for _, other := range others {
			flag, _, _ := strings.Cut(other, " ")
			require.True(t, known[flag], "%s leads to --%s", name, flag)
		}
	}
}

// Every noun is found in singular and plural, and its verbs by their synonyms.
func TestNames(t *testing.T) {
	t.Parallel()
	for typed, meant := range map[string]string{
		"account ls": "accounts list", "accounts show": "accounts get", "account new": "accounts create", "accounts view": "accounts get",
		"contact rm": "contacts delete", "contacts remove": "contacts delete", "contact add": "contacts create", "contacts describe": "contacts get",
		"transfers ls": "transfer list", "transfers show": "transfer get", "transfer create": "transfer auto", "transfer new": "transfer auto",
		"route ls": "routes list", "event ls": "events list",
		"profiles ls": "profile list", "profile rm": "profile remove", "profile delete": "profile remove", "profiles show": "profile show",
		"config show": "profile show", "sandbox fault ls": "sandbox faults list", "sandbox faults new": "sandbox faults add",
		"sandbox request ls": "sandbox requests list", "sandbox clock show": "sandbox clock get", "env": "environment",
	} {
		cmd, rest, err := tree().Find(strings.Fields(typed))
		require.NoError(t, err)
		require.Empty(t, rest, typed)
		require.Equal(t, "payctl "+meant, cmd.CommandPath(), typed)
	}
}

// No name leads to two commands.
func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		seen := map[string]string{}
		for _, below := range cmd.Commands() {
			for _, name := range append([]string{below.Name()}, below.Aliases...) {
				require.Empty(t, seen[name], "%s %s", cmd.CommandPath(), name)
				seen[name] = below.Name()
			}
			check(below)
		}
	}
	check(tree())
}

// The words of a line are found whichever flags stand between them.
func TestArgumentsOfALine(t *testing.T) {
	t.Parallel()
	all := commandTree{root: tree(), isComplete: true}
	for line, words := range map[string]string{
		"trasnfer list --limit 1":          "trasnfer list",
		"--limit 1 trasnfer list":          "trasnfer list",
		"--all accounts list":              "accounts list",
		"-o json trasnfer -q list":         "trasnfer list",
		"-ojson --yes trasnfer list":       "trasnfer list",
		"--unknown transfer list":          "transfer list",
		"--unknown value transfer list":    "transfer list",
		"--unknown=value transfer -- list": "transfer",
		"transfer auto --wait -":           "transfer auto -",
		"api -H a:b -X GET x":              "api x",
	} {
		require.Equal(t, words, strings.Join(all.arguments(strings.Fields(line)), " "), line)
	}
}
