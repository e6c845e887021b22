//go:build unix

package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// A folder that other users could read or change, or in which they may have put something, is refused by all that opens
// one. Nothing in it is changed.
func TestFoldersThatOthersMayUse(t *testing.T) {
	t.Parallel()
	files := []string{"payctl.db", "payctl.db-wal", "payctl.db-shm", "payctl.state", "payctl.lock"}
	template := killed(t, 1, 1)
	require.NoError(t, os.WriteFile(filepath.Join(template, "payctl.lock"), nil, 0o600))
	type loose struct {
		spoil func(folder string) error
		fix   string // that the error has to name
	}
	all := map[string]loose{
		"a folder that everybody may write to": {func(folder string) error { return os.Chmod(folder, 0o777) }, "chmod 700 "},
		"a folder that its group may write to": {func(folder string) error { return os.Chmod(folder, 0o770) }, "chmod 700 "},
		"a linked folder": {func(folder string) error {
			return errors.Join(os.Rename(folder, folder+".real"), os.Symlink(folder+".real", folder))
		}, "replace the link by a folder"},
	}
	for _, name := range files {
		all[name+" that everybody may write to"] = loose{func(folder string) error {
			return os.Chmod(filepath.Join(folder, name), 0o666)
		}, "chmod 600 "}
		all[name+" that the group may read"] = loose{func(folder string) error {
			return os.Chmod(filepath.Join(folder, name), 0o640)
		}, "chmod 600 "}
		all["a link in place of "+name] = loose{func(folder string) error {
			path := filepath.Join(folder, name)
			return errors.Join(os.Rename(path, folder+".target"), os.Symlink(folder+".target", path))
		}, "rm "}
		all["a pipe in place of "+name] = loose{func(folder string) error {
			path := filepath.Join(folder, name)
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}, "remove it"}
		if os.Geteuid() == 0 {
			all["another user's "+name] = loose{func(folder string) error {
				return os.Chown(filepath.Join(folder, name), 4711, -1)
			}, "chown "}
		}
	}
	if os.Geteuid() == 0 {
		all["another user's folder"] = loose{func(folder string) error { return os.Chown(folder, 4711, -1) }, "chown "}
	}
	for name, found := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := copyOf(t, template)
			require.NoError(t, os.Chmod(folder, 0o700))
			require.NoError(t, found.spoil(folder))
			before := listing(t, filepath.Dir(folder))
			_, err := sqlite.Open(t.Context(), folder)
			_, _, accepting := sqlite.OpenAcceptingLoss(t.Context(), folder)
			_, backup := sqlite.Backup(t.Context(), folder, filepath.Join(t.TempDir(), "backup"))
			for _, err := range []error{err, accepting, backup} {
				var unsafe *securefile.Error
				require.ErrorAs(t, err, &unsafe)
				require.Contains(t, unsafe.Reason, folder)
				require.Contains(t, unsafe.Next, found.fix)
			}
			require.Equal(t, before, listing(t, filepath.Dir(folder)))
			if command, ok := strings.CutPrefix(found.fix, "chmod"); ok {
				var unsafe *securefile.Error
				require.ErrorAs(t, err, &unsafe, command)
				require.NoError(t, exec.Command("sh", "-c", unsafe.Fix).Run())
				requireAll(t, folder, 2)
			}
		})
	}
}

// listing is the name, mode, size and time of everything below a folder.
func listing(t *testing.T, folder string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all = append(all, path+" "+fs.FormatFileInfo(info)+info.ModTime().String())
		}
		return err
	}))
	return all
}

// Others may read the names in a folder that existed before, and the folder above may be one in which everybody may
// create files, such as /tmp.
func TestFoldersThatAreSafeEnough(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	require.NoError(t, os.Chmod(above, 0o777|os.ModeSticky))
	folder := filepath.Join(above, "data")
	require.NoError(t, os.Mkdir(folder, 0o755))
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k0")))
	require.NoError(t, s.Close())
	requireAll(t, folder, 1)
}
