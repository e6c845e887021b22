package e2e

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

// Ctrl-Z gives the shell its terminal back, and fg continues the command of `serve`.
func TestCommandBesideTheServiceIsSuspended(t *testing.T) {
	t.Parallel()
	shell := startShell(t)
	shell.until("ready> ")
	shell.typed(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up" "$$,"; read x; echo got "$x"')` + "\n")
	shell.until("is-up ")
	command := shell.until(",")
	shell.typed("\x1a")
	shell.until("Stopped")
	require.Eventually(t, func() bool { // the command itself has stopped, too, and reads nothing that the shell is to read
		stat, err := os.ReadFile("/proc/" + command + "/stat")
		return err == nil && strings.Contains(string(stat), ") T ")
	}, longestWait, 10*time.Millisecond)
	shell.typed("fg\n")
	shell.until("payctl")
	shell.typed("hello\n")
	shell.until("got hello")
	shell.typed("exit\n")
	require.NoError(t, shell.command.Wait())
}

// The command of a `serve` in the background does not take the shell's terminal, without which the shell would end, and gets
// it with fg.
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

// Ctrl-C at a terminal reaches the command of `serve`, which decides what to do and with which code to exit.
func TestCommandBesideTheServiceIsInterrupted(t *testing.T) {
	t.Parallel()
	shell := startShell(t)
	shell.until("ready> ")
	shell.typed(`(exec -a payctl "$BIN" serve -- sh -c 'trap "echo is-ca\ught; read x; exit 7" INT; echo is-"up"; read x'); echo code-"$?"` + "\n")
	shell.until("is-up")
	shell.typed("\x03")
	shell.until("is-caught")
	shell.typed("\n")
	shell.until("code-7")
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
	ctx, cancel := context.WithTimeout(t.Context(), longestWait) // then its terminal is gone, and reading fails
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

// until reads what is shown up to a text, and returns what stands before that.
func (s *shell) until(text string) (before string) {
	s.t.Helper()
	chunk := make([]byte, 4096)
	for !strings.Contains(s.shown, text) {
		n, err := s.keyboard.Read(chunk)
		s.shown += string(chunk[:n])
		require.NoError(s.t, err, s.shown)
	}
	before, s.shown, _ = strings.Cut(s.shown, text)
	return before
}

func (s *shell) typed(text string) {
	s.t.Helper()
	_, err := s.keyboard.WriteString(text)
	require.NoError(s.t, err)
}
