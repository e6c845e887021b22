//go:build unix

package securefile

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, target := filepath.Join(dir, "file"), filepath.Join(dir, "target")
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	require.NoError(t, Write(path, []byte("first")))
	require.NoError(t, os.Chmod(path, 0o666))
	require.NoError(t, Write(path, []byte("second")))
	require.Equal(t, "second", read(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	// Neither the target of a link nor another name of the file changes.
	require.NoError(t, os.WriteFile(target, []byte("not ours"), 0o644))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(target, path))
	require.NoError(t, Write(path, []byte("third")))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Link(target, path))
	require.NoError(t, Write(path, []byte("fourth")))
	require.Equal(t, "not ours", read(target))
	require.Equal(t, "fourth", read(path))
	require.NoError(t, os.Remove(target))

	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")
}

// Write replaces only regular files. As root it would otherwise destroy a device.
func TestWriteReplacesNoDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink(pipe, link))
	require.NoError(t, os.Mkdir(folder, 0o700))
	for _, path := range []string{pipe, link, folder} {
		before, err := os.Lstat(path)
		require.NoError(t, err)
		var unsafe *Error
		require.ErrorAs(t, Write(path, []byte("x")), &unsafe)
		after, err := os.Lstat(path)
		require.NoError(t, err)
		require.True(t, os.SameFile(before, after))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3)
}

// TestWriteAmongDevices writes to /dev, where stdout is a link to a regular file if the output is redirected. The test
// uses a name that does not exist, so that a failure destroys nothing.
func TestWriteAmongDevices(t *testing.T) {
	path := "/dev/payctl-" + rand.Text()
	t.Cleanup(func() { _ = os.Remove(path) })
	t.Chdir("/")
	for _, path := range []string{path, path[1:]} {
		var unsafe *Error
		require.ErrorAs(t, Write(path, []byte("x")), &unsafe)
	}
}

// systemHolders are the holders of this system alone: none, since an open file does not block other programs.
var systemHolders map[string]func(path string) (release func(), err error)
