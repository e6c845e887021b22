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
		t.Skip("quoting differs on Windows")
	}
	for transfer, shown := range map[string]string{
		"trf_1":            "payctl transfer watch --until STATE trf_1   (it works)",
		"trf_1;touch x":    "payctl transfer watch --until STATE 'trf_1;touch x'   (it works)",
		"-rf":              "payctl transfer watch --until STATE -- -rf   (it works)",
		"--yes":            "payctl transfer watch --until STATE -- --yes   (it works)",
		"Rechnung für Ada": "payctl transfer watch --until STATE 'Rechnung für Ada'   (it works)",
		"":                 "payctl transfer watch --until STATE ''   (it works)",
	} {
		require.Equal(t, shown, Payctl("transfer watch --until STATE --", transfer).With("it works").String(), "%q", transfer)
	}
	for _, value := range []string{
		"a\nb", "a\x1b[31mb", "a\u200bb", "a\u3164b", "a\ufe0fb", "a\u00a0b", "a\u202eb", "a\xffb", "a\ufffdb", "a\tb",
	} {
		require.Equal(t, "payctl transfer get VALUE", Payctl("transfer get --", value).String(), "%q", value)
	}
	require.Equal(t, "payctl -p -x transfer list", Payctl("-p", "-x", "transfer", "list").String())
	require.Equal(t, "go on with 'a;b'", Note("go on with %s", "a;b").String())
	require.True(t, Hint{}.IsZero())
}

// nasty are values that some shell runs or changes if they are quoted for another shell, or not at all.
var nasty = []string{
	"a;touch mark", "$(touch mark)", "`touch mark`", "a'b", `a"b`, `a\`, `\`, `\'`,
	`\';touch mark;'`, `a\\';touch mark;#`, `'`, `''`,
	"(touch mark)", "a&touch mark", "a|touch mark", "a>mark", "a<b", "a b", " a ", "*", "?", "[a]", "{a,b}",
	"~", "~root", "a=~", "=ls",
	"%self", "%1", "!", "!!", "a!b", "^a^b", "$HOME", "${HOME}", "#a", "a#b", "-rf", "--yes", "--", "-",
	"a=b", "@", "ñ", "$'a'", `$"a"`,
}

// TestShellsReadOneArgument runs hints in real shells: each value is one argument.
func TestShellsReadOneArgument(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("these shells do not run on Windows")
	}
	for _, name := range []string{"sh", "dash", "bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed", name)
			}
			var script strings.Builder
			for _, value := range nasty {
				script.WriteString(Hint{Command: []string{"printf", `%s\0`, value}}.String() + "\n")
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
