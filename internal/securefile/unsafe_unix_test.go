//go:build unix

package securefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A file that others can read, change or replace is neither read nor locked. In an unsafe folder, nothing is written
// either. The file stays as it is, and the error says what to do.
func TestUnsafeFiles(t *testing.T) {
	t.Parallel()
	mode := func(mode os.FileMode) func(string) error {
		return func(path string) error { return os.Chmod(path, mode) }
	}
	folder := func(spoil func(path string) error) func(string) error {
		return func(path string) error { return spoil(filepath.Dir(path)) }
	}
	put := func(put func(path string) error) func(string) error {
		return func(path string) error { return errors.Join(os.Rename(path, path+".real"), put(path)) }
	}
	dangling := put(func(path string) error { return os.Symlink("nowhere", path) })
	link := put(func(path string) error { return os.Symlink(path+".real", path) })
	given := func(path string) error { return os.Lchown(path, 4711, -1) }
	for name, c := range map[string]struct {
		spoil       func(path string) error
		whole, root bool // whole: the folder is unsafe; root: only root can do it
		says        string
	}{
		"the group may read":      {mode(0o640), false, false, "chmod 600 "},
		"others may write":        {mode(0o602), false, false, "chmod 600 "},
		"the group may run it":    {mode(0o610), false, false, "chmod 600 "},
		"a link":                  {link, false, false, "put the file itself in its place"},
		"a link to nowhere":       {dangling, false, false, "put the file itself"},
		"a pipe":                  {put(func(path string) error { return syscall.Mkfifo(path, 0o600) }), false, false, "mv "},
		"a folder":                {put(func(path string) error { return os.Mkdir(path, 0o700) }), false, false, "mv "},
		"another owner":           {given, false, true, "chown "},
		"a folder of the group":   {folder(mode(0o770)), true, false, "chmod 700 "},
		"a folder of everybody":   {folder(mode(0o702)), true, false, "chmod 700 "},
		"a folder that is a link": {folder(link), true, false, "PAYCTL_CONFIG_DIR"},
		"another's folder":        {folder(given), true, true, "chown "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			path := filepath.Join(t.TempDir(), "folder", "file")
			require.NoError(t, MakeFolder(filepath.Dir(path)))
			require.NoError(t, Write(path, []byte("before")))
			require.NoError(t, c.spoil(path))
			before, err := os.Lstat(path)
			require.NoError(t, err)
			_, reading := Read(path, 100)
			_, locking := Lock(t.Context(), path, time.Minute)
			errs := []error{CheckFile(path), reading, locking}
			if c.whole {
				errs = []error{reading, locking, Replace(path, nil), Remove(path), MakeFolder(filepath.Dir(path))}
			}
			for i, err := range errs {
				var unsafe *Error
				require.ErrorAs(t, err, &unsafe, i)
				require.Contains(t, unsafe.Next.String(), c.says, i)
			}
			after, err := os.Lstat(path)
			require.NoError(t, err)
			require.Equal(t, before.Mode(), after.Mode())
			require.True(t, os.SameFile(before, after))
		})
	}
}

// A secret that others can read or change is refused, also through a link.
func TestCheckSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Symlink(path, path+".link"))
	for mode, isPrivate := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false} {
		require.NoError(t, os.Chmod(path, mode))
		for _, name := range []string{path, path + ".link"} {
			require.Equal(t, isPrivate, CheckSecret(name) == nil, "%o", mode)
		}
	}
}

// A leftover temporary file that is a link is removed. Its target is not written.
func TestReplaceRemovesALeftover(t *testing.T) {
	t.Parallel()
	path, victim := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(victim, []byte("untouched"), 0o600))
	require.NoError(t, os.Symlink(victim, path+TempSuffix))
	require.NoError(t, Replace(path, []byte("new")))
	text, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "untouched", string(text))
	require.NoFileExists(t, path+TempSuffix)
}
