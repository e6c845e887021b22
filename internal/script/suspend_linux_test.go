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
	shell := startShell(t)
	shell.until("ready> ")
	shell.typed(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up"; read x; echo got "$x"')` + "\n")
	shell.until("is-up")
	shell.typed("\x1a")
	shell.until("Stopped")
	shell.typed("fg\n")
	shell.until("payctl")
	shell.typed("hello\n")
	shell.until("got hello")
	shell.typed("exit\n")
	require.NoError(t, shell.command.Wait())
}

// A command beside a service in the background leaves the shell its terminal, without which the shell would end, and gets it
// with fg.
func TestCommandBesideTheServiceInTheBackground(t *testing.T) {
	t.Parallel()
	shell := startShell(t)
	shell.until("ready> ")
	shell.typed(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up"; read x; echo got "$x"') &` + "\n")
	shell.until("is-up")
	shell.typed("echo the shell is-\"here\"\n")
	shell.until("is-here")
	shell.typed("until jobs | grep Stopped; do sleep 0.1; done\n")
	shell.until("Stopped")
	shell.typed("fg\n")
	shell.until("payctl")
	shell.typed("hello\n")
	shell.until("got hello")
	shell.typed("exit\n")
	require.NoError(t, shell.command.Wait())
}

// A shell with job control at a terminal of its own.
type shell struct {
	t        testing.TB
	command  *exec.Cmd
	keyboard *os.File
	shown    string // and not asked for yet
}

func startShell(t *testing.T) *shell {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("a shell with job control is needed")
	}
	s := newSession(t, "http://127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // then its terminal is gone, and reading fails
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-i")
	command.Env = append(s.env, "PS1=ready> ", "BIN="+os.Args[0])
	keyboard, err := pty.Start(command)
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	return &shell{t: t, command: command, keyboard: keyboard}
}

// until reads what is shown up to a text.
func (s *shell) until(text string) {
	s.t.Helper()
	chunk := make([]byte, 4096)
	for !strings.Contains(s.shown, text) {
		n, err := s.keyboard.Read(chunk)
		s.shown += string(chunk[:n])
		require.NoError(s.t, err, s.shown)
	}
	_, s.shown, _ = strings.Cut(s.shown, text)
}

func (s *shell) typed(text string) {
	s.t.Helper()
	_, err := s.keyboard.WriteString(text)
	require.NoError(s.t, err)
}
