package shell

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHint(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("values are quoted in another way there")
	}
	const hint = "payctl transfer watch --until STATE -- TRANSFER   (TRANSFER, FILE)"
	for transfer, shown := range map[string]string{
		"trf_1":            "payctl transfer watch --until STATE trf_1   (trf_1, FILE)",
		"trf_1;touch x":    "payctl transfer watch --until STATE 'trf_1;touch x'   ('trf_1;touch x', FILE)",
		"-rf":              "payctl transfer watch --until STATE -- -rf   (-rf, FILE)",
		"--yes":            "payctl transfer watch --until STATE -- --yes   (--yes, FILE)",
		"STATE":            "payctl transfer watch --until STATE STATE   (STATE, FILE)",
		"Rechnung für Ada": "payctl transfer watch --until STATE 'Rechnung für Ada'   ('Rechnung für Ada', FILE)",
	} {
		require.Equal(t, shown, Hint(hint, Values{"TRANSFER": transfer}), "%q", transfer)
	}
	for _, value := range []string{
		"", "a\nb", "a\x1b[31mb", "a\u200bb", "a\u3164b", "a\ufe0fb", "a\u00a0b", "a\u202eb", "a\xffb", "a\ufffdb", "a\tb",
	} {
		require.Equal(t, "payctl transfer get TRANSFER",
			Hint("payctl transfer get -- TRANSFER", Values{"TRANSFER": value}), "%q", value)
	}
	require.Equal(t, "payctl -p -x transfer list", Hint("payctl -p PROFILE transfer list", Values{"PROFILE": "-x"}))
}

// nasty are values that run or change something in some shell if they are quoted for another one, or not at all.
var nasty = []string{
	"a;touch mark", "$(touch mark)", "`touch mark`", "a'b", `a"b`, `a\`, `\`, `\'`, `\';touch mark;'`, `a\\';touch mark;#`, `'`, `''`,
	"(touch mark)", "a&touch mark", "a|touch mark", "a>mark", "a<b", "a b", " a ", "*", "?", "[a]", "{a,b}", "~", "~root", "a=~", "=ls",
	"%self", "%1", "!", "!!", "a!b", "^a^b", "$HOME", "${HOME}", "#a", "a#b", "-rf", "--yes", "--", "-", "a=b", "@", "ñ", "$'a'", `$"a"`,
}

// TestShellsReadOneArgument has real shells read the values in a hint: each is one argument.
func TestShellsReadOneArgument(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("these shells are not there")
	}
	for _, name := range []string{"sh", "dash", "bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("there is no %s", name)
			}
			var script strings.Builder
			for _, value := range nasty {
				script.WriteString(Hint(`printf '%s\0' VALUE`, Values{"VALUE": value}) + "\n")
			}
			cmd := exec.CommandContext(t.Context(), program, "-c", script.String())
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "HOME="+cmd.Dir) // zsh and fish read settings and write a history there
			out, err := cmd.Output()
			require.NoError(t, err)
			require.Equal(t, strings.Join(nasty, "\x00")+"\x00", string(out))
		})
	}
}
