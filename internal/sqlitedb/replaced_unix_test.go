//go:build unix

package sqlitedb_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// SQLite opens a connection by the path of the file. If the path then leads to another file, nothing of that file is
// read or changed, not even its journal mode, which SQLite would change first.
func TestDatabasesThatAreReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replace func(path, victim string) error
		unsafe  bool
	}{
		"the file by a link": {func(path, victim string) error {
			return relink(path, victim)
		}, false},
		"the folder by a link": {func(path, victim string) error {
			return relink(filepath.Dir(path), filepath.Dir(victim))
		}, false},
		"the folder by another one": {func(path, victim string) error {
			if err := os.Rename(filepath.Dir(path), filepath.Dir(path)+".old"); err != nil {
				return err
			}
			return os.Rename(filepath.Dir(victim), filepath.Dir(path))
		}, false},
		"its mode": {func(path, _ string) error { return os.Chmod(path, 0o666) }, true},
		"the mode of the folder": {func(path, _ string) error {
			return os.Chmod(filepath.Dir(path), 0o777)
		}, true},
		"a log by a link": {func(path, victim string) error { return os.Symlink(victim, path+"-wal") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := t.TempDir()
			path, victim := filepath.Join(above, "data", "x.db"), filepath.Join(above, "victim", "x.db")
			for _, file := range []string{path, victim} {
				require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
				_, err := open(t, file).Exec("CREATE TABLE t (a)")
				require.NoError(t, err)
				require.NoError(t, os.Chmod(file, 0o600))
			}
			before, err := os.ReadFile(victim)
			require.NoError(t, err)
			db, inPlace, err := sqlitedb.Open(path, "")
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			require.NoError(t, inPlace())

			require.NoError(t, c.replace(path, victim))
			_, err = db.ExecContext(t.Context(), "INSERT INTO t VALUES (1)")
			if c.unsafe {
				require.ErrorAs(t, err, new(*securefile.Error))
			} else {
				require.ErrorIs(t, err, sqlitedb.ErrGone)
				require.ErrorIs(t, inPlace(), sqlitedb.ErrGone)
			}
			if name == "the folder by another one" {
				victim = path
			}
			after, err := os.ReadFile(victim)
			require.NoError(t, err)
			require.Equal(t, before, after)
			files, err := os.ReadDir(filepath.Dir(victim))
			require.NoError(t, err)
			require.Len(t, files, 1, "it has no new log either")
		})
	}
}

// relink replaces a file or folder with a link to a target.
func relink(path, target string) error {
	if err := os.Rename(path, path+".old"); err != nil {
		return err
	}
	return os.Symlink(target, path)
}
