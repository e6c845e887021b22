package securefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asHolder makes the test program a process that has a file open. Its value is a key of holders or systemHolders.
// heldFile names the file. Both are environment variables.
const asHolder, heldFile = "SECUREFILE_TEST_HOLD", "SECUREFILE_TEST_FILE"

// holders are ways to have a file open until release is called.
var holders = map[string]func(path string) (release func(), err error){
	"locked": func(path string) (func(), error) { return Lock(context.Background(), path, time.Minute) },
	"open": func(path string) (func(), error) {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		return func() { _ = file.Close() }, err
	},
}

func TestMain(m *testing.M) {
	way := os.Getenv(asHolder)
	if way == "" {
		os.Exit(m.Run())
	}
	open := holders[way]
	if open == nil {
		open = systemHolders[way]
	}
	release, err := open(os.Getenv(heldFile))
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, "held")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test closes it
	release()
}

// A holder is another process that has a file open.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

// hold starts another process, and returns when that has a file open.
func hold(t *testing.T, way, path string) *holder {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asHolder+"="+way, heldFile+"="+path)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &holder{cmd, stdin}
	t.Cleanup(h.kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return h
}

// release makes the process close the file.
func (h *holder) release() { _ = h.stdin.Close() }

// kill ends the process before it can close the file.
func (h *holder) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// A lock of another process holds until it is released or the process ends.
func TestLocksOfOtherProcesses(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*holder){"released": (*holder).release, "killed": (*holder).kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := t.TempDir() + "/file.lock"
			other := hold(t, "locked", path)
			begun := time.Now()
			_, err := Lock(t.Context(), path, 50*time.Millisecond)
			require.ErrorIs(t, err, ErrLockHeld)
			require.EqualError(t, err, "another process holds the lock "+path)
			require.GreaterOrEqual(t, time.Since(begun), 50*time.Millisecond)
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("the user has ended it")
			cancel(why)
			_, err = Lock(ctx, path, time.Minute)
			require.ErrorIs(t, err, why)
			end(other)
			release, err := Lock(t.Context(), path, time.Minute)
			require.NoError(t, err)
			release()
			require.NoError(t, os.Remove(path), "no handle is left")
		})
	}
}
