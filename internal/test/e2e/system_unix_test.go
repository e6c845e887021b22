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

// interrupt acts like Ctrl-C at the terminal of a program.
func interrupt(program *os.Process) error { return program.Signal(os.Interrupt) }

// terminate acts like the end of a program's session.
func terminate(program *os.Process) error { return program.Signal(syscall.SIGTERM) }

// newPipe creates a named pipe. opened waits until a program opens it for reading, and then holds it open.
func newPipe(t *testing.T) (path string, opened func() io.Closer) {
	path = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path, func() io.Closer {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		return file
	}
}

// shellPrograms are programs that the scenarios run and the system lacks.
func shellPrograms() map[string]func() { return map[string]func(){} }
