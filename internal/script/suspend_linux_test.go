package script

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// Ctrl-Z gives the shell its terminal back, and fg lets the command beside the service go on.
func TestCommandBesideTheServiceIsSuspended(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("a shell with job control is needed")
	}
	s := newSession(t, "http://127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // then its terminal is gone, and reading fails
	defer cancel()
	shell := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-i")
	shell.Env = append(s.env, "PS1=ready> ", "BIN="+os.Args[0])
	keyboard, err := pty.Start(shell)
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	defer keyboard.Close()
	shown := ""
	until := func(text string) {
		t.Helper()
		chunk := make([]byte, 4096)
		for !strings.Contains(shown, text) {
			n, err := keyboard.Read(chunk)
			shown += string(chunk[:n])
			require.NoError(t, err, shown)
		}
		_, shown, _ = strings.Cut(shown, text)
	}
	typed := func(text string) {
		t.Helper()
		_, err := keyboard.WriteString(text)
		require.NoError(t, err)
	}
	until("ready> ")
	typed(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up"; read x; echo got "$x"')` + "\n")
	until("is-up")
	typed("\x1a")
	until("Stopped")
	typed("fg\n")
	until("payctl")
	typed("hello\n")
	until("got hello")
	typed("exit\n")
	require.NoError(t, shell.Wait())
}
