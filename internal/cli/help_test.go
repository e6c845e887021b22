package cli

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// everyCommand calls a function with each command.
func everyCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, below := range cmd.Commands() {
		everyCommand(below, do)
	}
}

func helpOf(t *testing.T, cmd *cobra.Command, width int) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, writeHelp(&b, cmd, width))
	return b.String()
}

// unbreakable are lines of help that no terminal of 80 columns holds, as one word of them is too long.
var unbreakable = regexp.MustCompile(`^ *\S{40,}|^ +kyc_status_pointer: |  .*<.*>|'[^']{30,}'`)

// Every help fits a terminal of 80 columns, and has the usage, the examples, the flags and all words of the text.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("commands are not broken there, and examples are others")
	}
	seen := 0
	everyCommand(tree(), func(cmd *cobra.Command) {
		seen++
		text := helpOf(t, cmd, 80)
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); !unbreakable.MatchString(line) {
				require.LessOrEqual(t, utf8.RuneCountInString(line), 80, "%s: %s", cmd.CommandPath(), line)
			}
			require.Equal(t, strings.TrimRight(line, " "), line, cmd.CommandPath())
		}
		require.NotContains(t, text, "\n\n\n", cmd.CommandPath())
		words := strings.Fields(text)
		for word := range strings.FieldsSeq(cmd.Long + " " + cmd.Example) {
			require.True(t, slices.Contains(words, word), "%s: %s", cmd.CommandPath(), word)
		}
		if isTopic(cmd) {
			return
		}
		require.Contains(t, text, "Usage:\n  payctl", cmd.CommandPath())
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden {
				require.Contains(t, text, "--"+f.Name, cmd.CommandPath())
			}
		})
	})
	require.Greater(t, seen, 60)
}

// The help names the global flags that a command uses, and no others.
func TestGlobalFlagsInHelp(t *testing.T) {
	t.Parallel()
	root := tree()
	for path, c := range map[string]struct{ has, hasNot []string }{
		"version":         {[]string{"output"}, []string{"base-url", "yes", "retries", "timeout", "curl", "profile", "verbose"}},
		"serve":           {[]string{"verbose", "quiet"}, []string{"base-url", "output", "yes"}},
		"profile show":    {[]string{"base-url", "profile", "timeout"}, []string{"yes", "curl"}},
		"profile remove":  {[]string{"yes"}, []string{"base-url"}},
		"transfer list":   {[]string{"base-url", "profile", "retries", "output", "jq"}, []string{"yes"}},
		"transfer auto":   {[]string{"yes"}, nil},
		"completion bash": {nil, []string{"output", "quiet"}},
		"transfer":        {[]string{"yes", "base-url"}, nil},
		"accounts":        {[]string{"base-url"}, []string{"yes"}},
	} {
		cmd, _, err := root.Find(strings.Fields(path))
		require.NoError(t, err)
		text := helpOf(t, cmd, 1000)
		for _, flag := range c.has {
			require.Contains(t, globalFlags(cmd), "--"+flag, path)
			require.Contains(t, text, globalFlags(cmd), path)
		}
		for _, flag := range c.hasNot {
			require.NotContains(t, globalFlags(cmd), "--"+flag, path)
		}
	}
	for _, path := range asking {
		_, rest, err := root.Find(strings.Fields(path))
		require.NoError(t, err)
		require.Empty(t, rest, path)
	}
	topic, _, err := root.Find([]string{"flags"})
	require.NoError(t, err)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { require.Contains(t, topic.Long, "--"+f.Name) })
}

// Paragraphs are filled, lists have a hanging indent, commands go on behind a backslash, and all else stays as it is.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"One line\nand another one.\n\nA second paragraph.", "One line and\nanother one.\n\nA second\nparagraph."},
		{"  a    one two three four\n  bb   five", "  a    one two\n       three\n       four\n  bb   five"},
		{"  a    one\n       two three", "  a    one two\n       three"},
		{"  payctl a --b 'c d e f' --g h", "  payctl a \\\n      --b \\\n      'c d e f' \\\n      --g h"},
		{"  x: yyyyyyyyyyyyyyyyyyyyyyyy", "  x: yyyyyyyyyyyyyyyyyyyyyyyy"},
	} {
		require.Equal(t, c.want, wrapped(c.text, 14))
	}
}
