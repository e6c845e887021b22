//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/terminal"
)

// At a terminal a text with a mistake can be edited again. Ctrl-C is the editor's while it runs, and an answer behind it.
func TestProfileEditAtATerminal(t *testing.T) {
	t.Parallel()
	s, dir := newSession(t, "http://127.0.0.1:1"), t.TempDir()
	editor, text := filepath.Join(dir, "editor"), filepath.Join(dir, "text")
	// It is asked what to write, and takes Ctrl-C for the beginning of another line, as a person's editor takes it for what it likes.
	// It begins when payctl ignores Ctrl-C, which is a moment after its start; a person is not that quick.
	require.NoError(t, os.WriteFile(editor, []byte(`trap 'printf caught >> `+text+`' INT
while [ -r /proc/$PPID/status ] && ! grep -q '^SigIgn:.*[2367abef]$' /proc/$PPID/status; do :; done
printf 'write: '
until read -r line; do :; done
printf '%s\n' "profiles: {work: {$line}}" > "$1"
`), 0o600))
	config := t.TempDir()
	env := []string{"PAYCTL_CONFIG_DIR=" + config, "VISUAL=sh " + editor, "TMPDIR=" + dir}

	out, code := s.steps(s.command(env, "profile", "edit"),
		step{"write: ", 1, press("\x03")}, step{"^C", 1, press("timeout: soon\r")},
		step{"Edit it again? [y/N]", 1, press("y\r")}, step{"write: ", 2, press("timeout: 7s\r")})
	require.Zero(t, code, out)
	require.Contains(t, unfolded(out), `config.yaml:1:28: timeout: "soon" is not a duration`)
	require.Contains(t, unfolded(out), "Changed "+filepath.Join(config, "config.yaml"))
	caught, err := os.ReadFile(text)
	require.NoError(t, err)
	require.Equal(t, "caught", string(caught))

	// The signal itself: after the key, the terminal drops what it has not shown yet, which may be the answer to it.
	interrupt := func(_ *terminal.Terminal, program *os.Process) { require.NoError(t, program.Signal(os.Interrupt)) }
	out, code = s.steps(s.command(env, "profile", "edit"),
		step{"write: ", 1, press("timeout: later\r")}, step{"Edit it again? [y/N]", 1, interrupt})
	require.Equal(t, 130, code, out)
	require.Contains(t, unfolded(out), "payctl profile edit --from "+dir)
	saved, err := os.ReadFile(filepath.Join(config, "config.yaml"))
	require.NoError(t, err)
	require.Equal(t, "profiles: {work: {timeout: 7s}}\n", string(saved))
}
