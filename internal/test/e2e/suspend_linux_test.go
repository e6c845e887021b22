package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ctrl-Z gives the shell its terminal back, and fg continues the command of `serve`.
func TestCommandBesideTheServiceIsSuspended(t *testing.T) {
	t.Parallel()
	shell := startShell(t, nowhere)
	shell.Press(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up" "$$,"; read x; echo got "$x"')` + "\n")
	shell.until("is-up ")
	command := shell.until(",")
	shell.Press("\x1a")
	shell.until("Stopped")
	require.Eventually(t, func() bool { // the command itself has stopped, too, and reads nothing that the shell is to read
		stat, err := os.ReadFile("/proc/" + command + "/stat")
		return err == nil && strings.Contains(string(stat), ") T ")
	}, longestWait, 10*time.Millisecond)
	shell.continues()
}

// The command of a `serve` in the background does not take the shell's terminal, without which the shell would end, and
// gets it with fg.
func TestCommandBesideTheServiceInTheBackground(t *testing.T) {
	t.Parallel()
	shell := startShell(t, nowhere)
	shell.Press(`(exec -a payctl "$BIN" serve -- sh -c 'echo is-"up"; read x; echo got "$x"') &` + "\n")
	shell.until("is-up")
	shell.Press("echo the shell is-\"here\"\n")
	shell.until("is-here")
	shell.Press("until jobs | grep Stopped; do sleep 0.1; done\n")
	shell.until("Stopped")
	shell.continues()
}

// continues has the shell continue its stopped program, which then reads a line.
func (s *shell) continues() {
	s.t.Helper()
	s.Press("fg\n")
	s.until("payctl")
	s.Press("hello\n")
	s.until("got hello")
	s.exit()
}
