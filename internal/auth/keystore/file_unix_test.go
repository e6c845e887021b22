//go:build unix

package keystore

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
)

func requireUnsafe(t *testing.T, s Store) *Error {
	t.Helper()
	var e *Error
	for _, err := range []error{
		func() error { _, err := s.Get(t.Context(), testKey); return err }(),
		s.Delete(t.Context(), testKey),
		s.Set(t.Context(), testKey, testLogin()),
	} {
		require.ErrorIs(t, err, ErrUnsafeFile)
		require.ErrorAs(t, err, &e)
	}
	return e
}

func TestFileRefusesLooseModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o640, 0o602, 0o610, 0o777} {
		dir := filepath.Join(t.TempDir(), "it's here")
		path := filepath.Join(dir, fileName)
		s := NewFile(dir)
		require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
		require.NoError(t, os.Chmod(path, mode))
		e := requireUnsafe(t, s)
		command, ok := strings.CutPrefix(e.Next(), "run: ")
		require.True(t, ok, e.Next())
		require.True(t, strings.HasPrefix(command, "chmod 600 "), command)
		require.NoError(t, exec.Command("sh", "-c", command).Run(), "the command that it names mends it")
		got, err := s.Get(t.Context(), testKey)
		require.NoError(t, err)
		require.True(t, got == testLogin(), "%s", got)
	}
}

func TestFileRefusesAFolderThatOthersWriteTo(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o770, 0o702, 0o777} {
		dir := newDir(t)
		s := NewFile(dir)
		require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
		require.NoError(t, os.Chmod(dir, mode))
		require.Equal(t, "run: chmod 700 "+dir, requireUnsafe(t, s).Next())
		require.NoError(t, os.Chmod(dir, 0o755))
		_, err := s.Get(t.Context(), testKey)
		require.NoError(t, err, "others may see that there is a file")
	}
}

func TestFileRefusesLinksAndOtherKinds(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"link to a good file": func(path string) error {
			target := filepath.Join(filepath.Dir(path), "elsewhere.json")
			return errors.Join(os.WriteFile(target, []byte(`{"version":1,"logins":[]}`), 0o600), os.Symlink(target, path))
		},
		"dangling link": func(path string) error { return os.Symlink("nowhere", path) },
		"pipe":          func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder":        func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, file := range []string{fileName, lockName} {
			t.Run(name+" as "+file, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				require.NoError(t, os.Chmod(dir, 0o700))
				path := filepath.Join(dir, file)
				require.NoError(t, put(path))
				before, err := os.Lstat(path)
				require.NoError(t, err)
				s := NewFile(dir)
				err = s.Set(t.Context(), testKey, testLogin())
				require.ErrorIs(t, err, ErrUnsafeFile)
				require.ErrorContains(t, err, path)
				if file == fileName {
					requireUnsafe(t, s)
				}
				after, err := os.Lstat(path)
				require.NoError(t, err)
				require.Equal(t, before.Mode(), after.Mode())
				require.NoFileExists(t, filepath.Join(dir, "nowhere"))
			})
		}
	}
}

// A temporary file that is a link is taken away, not written through.
func TestFileTempLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("untouched"), 0o600))
	require.NoError(t, os.Symlink(victim, filepath.Join(dir, fileName+securefile.TempSuffix)))
	require.NoError(t, NewFile(dir).Set(t.Context(), testKey, testLogin()))
	data, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "untouched", string(data))
}

func TestFileRefusesALinkedFolder(t *testing.T) {
	t.Parallel()
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Chmod(real, 0o700))
	require.NoError(t, os.Symlink(real, link))
	e := requireUnsafe(t, NewFile(link))
	require.ErrorContains(t, e, link+" is a symbolic link")
	require.Contains(t, e.Next(), "PAYCTL_CONFIG_DIR")
	_, err := NewFile(link).(Locker).Lock(t.Context(), testKey)
	require.Error(t, err)
	_, err = NewKeyring(link, KeyringTimeout).(Locker).Lock(t.Context(), testKey)
	require.Error(t, err)
	files, err := os.ReadDir(real)
	require.NoError(t, err)
	require.Empty(t, files, "nothing is written through a link")
	exercise(t, NewFile(filepath.Join(link, "below"))) // links above are the system's own, /tmp of macOS for one
}

func TestFileOfAnotherOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := newDir(t)
	s := NewFile(dir)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	path := filepath.Join(dir, fileName)
	require.NoError(t, os.Chown(path, 4711, -1))
	require.Contains(t, requireUnsafe(t, s).Next(), "chown \"$(id -u)\" "+path)
	require.NoError(t, os.Chown(path, 0, -1))
	require.NoError(t, os.Chown(dir, 4711, -1))
	requireUnsafe(t, s)
}
