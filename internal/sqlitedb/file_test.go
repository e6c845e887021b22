package sqlitedb_test

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/sqlitedb"
)

func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqlitedb.DataSource(path, url.Values{"_pragma": {"busy_timeout(0)"}}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestDataSourceIsTheFileThatWasNamed(t *testing.T) {
	t.Parallel()
	folder := "a file?"
	if runtime.GOOS == "windows" {
		folder = "a file" // a name cannot have a question mark there
	}
	path := filepath.Join(t.TempDir(), folder, "100%#1.db")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	_, err := open(t, path).Exec("CREATE TABLE t (a)")
	require.NoError(t, err)
	require.FileExists(t, path)
}

func TestOpenRefusesAFileOfOneByte(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	check := func() error {
		db, _, err := sqlitedb.Open(path, "")
		if err == nil {
			require.NoError(t, db.Close())
		}
		return err
	}
	require.NoError(t, check(), "a new file")

	require.NoError(t, os.WriteFile(path, []byte("S"), 0o600))
	_, err := open(t, path).Exec("CREATE TABLE t (a)")
	if runtime.GOOS == "windows" {
		require.True(t, sqlitedb.HasCode(err, sqlitedb.NotADatabase), "SQLite itself refuses it there: %v", err)
		require.ErrorIs(t, check(), sqlitedb.ErrCut)
		return
	}
	require.NoError(t, err, "SQLite itself accepts it")
	require.NoError(t, check())

	require.NoError(t, os.Truncate(path, 1))
	require.ErrorIs(t, check(), sqlitedb.ErrCut)
}
