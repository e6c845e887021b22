//go:build unix

package safefile

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

	// What a link leads to stays as it is, and so does another name of the file.
	require.NoError(t, os.WriteFile(target, []byte("of somebody"), 0o644))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(target, path))
	require.NoError(t, Write(path, []byte("third")))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Link(target, path))
	require.NoError(t, Write(path, []byte("fourth")))
	require.Equal(t, "of somebody", read(target))
	require.Equal(t, "fourth", read(path))
	require.NoError(t, os.Remove(target))

	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")
}

// TestWriteTakesNoPlace: whoever is root would lose the device.
func TestWriteTakesNoPlace(t *testing.T) {
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

// TestWriteAmongDevices: /dev/stdout is a link, to a regular file where that is what the output goes to. The test names none that is
// there, so that a failure costs nobody's.
func TestWriteAmongDevices(t *testing.T) {
	path := "/dev/payctl-" + rand.Text()
	t.Cleanup(func() { _ = os.Remove(path) })
	t.Chdir("/")
	for _, path := range []string{path, path[1:]} {
		var unsafe *Error
		require.ErrorAs(t, Write(path, []byte("x")), &unsafe)
	}
}
