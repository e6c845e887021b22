package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A service that switches to another protocol holds no command: each ends at once, and a watch with the first signal.
func TestAServiceThatSwitchesProtocols(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	var asked atomic.Int64
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				if n, _ := connection.Read(make([]byte, 1<<16)); n == 0 {
					return
				}
				asked.Add(1)
				_, _ = io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
				_, _ = io.Copy(io.Discard, connection)
			}()
		}
	}()
	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		ctx, cancel := context.WithTimeout(t.Context(), longestWait)
		t.Cleanup(cancel)
		dir := t.TempDir()
		command := exec.CommandContext(ctx, "payctl", args...)
		command.Env = inherited(
			"HOME="+dir, "PAYCTL_CONFIG_DIR="+dir, "PAYCTL_BASE_URL=http://"+listener.Addr().String(), "PAYCTL_TOKEN="+leakToken)
		var output bytes.Buffer
		command.Stdout, command.Stderr = &output, &output
		require.NoError(t, command.Start())
		return command, &output
	}
	for line, code := range map[string]int{
		"accounts get acc_1":           8,
		"api GET /accounts/v1":         8,
		"contacts delete sct_1 --yes":  10,
		"doctor":                       8,
		"__complete accounts get acc_": 0,
		"sandbox clock +1s --yes":      8, // it first asks which service it is
		"transfer cancel trf_1 --yes":  10,
		"kyc watch acc_1 --timeout 1s": 12,
	} {
		command, output := start(strings.Fields(line)...)
		_ = command.Wait()
		require.Equal(t, code, command.ProcessState.ExitCode(), "%s: %s", line, output)
	}

	before := asked.Load()
	command, output := start("kyc", "watch", "acc_1")
	require.Eventually(t, func() bool { return asked.Load() > before }, longestWait, 10*time.Millisecond)
	require.NoError(t, terminate(command.Process))
	_ = command.Wait()
	require.Equal(t, 128+int(syscall.SIGTERM), command.ProcessState.ExitCode(), "%s", output)
}
