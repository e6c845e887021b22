//go:build !windows

package e2e

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// interrupt does to a program what Ctrl-C at its terminal does.
func interrupt(program *os.Process) error { return program.Signal(os.Interrupt) }

// terminate does to a program what the end of the session does in which it runs.
func terminate(program *os.Process) error { return program.Signal(syscall.SIGTERM) }

// newPipe makes a pipe with a path. opened waits until a program has opened it to read, and then holds it open.
func newPipe(t *testing.T) (path string, opened func() io.Closer) {
	path = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path, func() io.Closer {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		return file
	}
}

// shellPrograms are programs that the scenarios run and that the system lacks.
func shellPrograms() map[string]func() { return map[string]func(){} }
