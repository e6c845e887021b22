package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
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
	require.Eventually(t, func() bool { // the command has stopped, too, and does not read the shell's input
		stat, err := os.ReadFile("/proc/" + command + "/stat")
		return err == nil && strings.Contains(string(stat), ") T ")
	}, longestWait, 10*time.Millisecond)
	shell.continues()
}

// The command of a `serve` in the background does not take the shell's terminal: the shell would end. With fg it gets
// the terminal.
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

// continues makes the shell continue its stopped program, which then reads a line.
func (s *shell) continues() {
	s.t.Helper()
	s.Press("fg\n")
	s.until("payctl")
	s.Press("hello\n")
	s.until("got hello")
	s.exit()
}

// A program that is told to dump core leaves no core file, and its stack traces have no secret.
func TestNoCoreFile(t *testing.T) {
	t.Parallel()
	const secret = "secret-of-a-dump"
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	command := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -c unlimited; exec payctl accounts list")
	command.Dir = t.TempDir()
	command.Env = inherited("HOME="+command.Dir, "PAYCTL_CONFIG_DIR="+command.Dir, "PAYCTL_TOKEN="+secret,
		"PAYCTL_BASE_URL=http://"+silent.Addr().String(), "GOTRACEBACK=crash")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	require.NoError(t, command.Start())
	asking, err := silent.Accept() // and never answers
	require.NoError(t, err)
	defer asking.Close()
	require.NoError(t, command.Process.Signal(syscall.SIGQUIT))
	require.Error(t, command.Wait())
	status := command.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, status.Signaled(), "%v %s", command.ProcessState, stderr.String())
	require.False(t, status.CoreDump())
	require.Contains(t, stderr.String(), "goroutine ")
	require.NotContains(t, stderr.String(), secret)
}
