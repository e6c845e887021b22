package e2e

import (
	"bytes"
	"net"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that is made to dump its memory leaves none behind, and what it writes of itself has no secret.
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
