package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// notOnWindows matches what PowerShell, Windows PowerShell or cmd does not read as a POSIX shell does: single quotes,
// variables of one command, input from a file, && and a line that goes on; and programs that Windows has not.
var notOnWindows = regexp.MustCompile(`'|^ *[A-Z_]+=|&&| < |\\$|\\"|"\)|\b(sh|gzip|cp|echo|export)\b `)

// The examples of the help on Windows are lines that people can paste into PowerShell or cmd.
func TestExamplesForWindows(t *testing.T) {
	t.Parallel()
	lines, all := 0, ""
	everyCommand(tree(), func(cmd *cobra.Command) {
		for line := range strings.Lines(inOneLine(examples("windows", cmd.Example))) {
			lines++
			line = strings.TrimRight(line, "\n")
			require.NotRegexp(t, notOnWindows, line, cmd.CommandPath())
			isForPowerShell := strings.HasSuffix(line, "# in PowerShell") || strings.Contains(line, "# in cmd: ")
			require.True(t, isForPowerShell || !strings.ContainsAny(line, "$`%") || strings.HasSuffix(line, "--after $cursor"),
				"%s: %s", cmd.CommandPath(), line)
		}
		require.Equal(t, cmd.Example, examples("linux", cmd.Example))
		all += "\n" + cmd.Example + "\n"
	})
	require.Greater(t, lines, 100)
	for _, e := range posixExamples {
		require.Contains(t, all, "\n  "+e.line+"\n", "no command has this example any more")
	}
	for _, wrong := range []string{"  a 'b'", "  A=b c", "  a && b", "  a < b", `  a \`, `  a --jq ".[] | select(.b == "c")"`, "  a | gzip > b"} {
		require.Regexp(t, notOnWindows, wrong)
	}
}
