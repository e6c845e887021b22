package sqlitefile_test

import (
	"database/sql"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver

	"github.com/payctl/payctl/internal/sqlitefile"
)

func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqlitefile.DataSource(path, url.Values{"_pragma": {"busy_timeout(0)"}}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestDataSourceIsTheFileThatWasNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a file?", "100%#1.db")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	_, err := open(t, path).Exec("CREATE TABLE t (a)")
	require.NoError(t, err)
	require.FileExists(t, path)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	require.ErrorIs(t, sqlitefile.Check(path), fs.ErrNotExist)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, sqlitefile.Check(path), "a new one")

	require.NoError(t, os.WriteFile(path, []byte("S"), 0o600))
	_, err := open(t, path).Exec("CREATE TABLE t (a)")
	require.NoError(t, err, "SQLite itself minds nothing")
	require.NoError(t, sqlitefile.Check(path))

	require.NoError(t, os.Truncate(path, 1))
	require.ErrorIs(t, sqlitefile.Check(path), sqlitefile.ErrCut)
}

func TestHasCode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	one, err := open(t, path).Conn(t.Context())
	require.NoError(t, err)
	defer one.Close()
	_, err = one.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, err = open(t, path).Exec("CREATE TABLE t (a)")
	require.True(t, sqlitefile.HasCode(err, sqlitefile.Corrupt, sqlitefile.Busy), "%v", err)
	require.False(t, sqlitefile.HasCode(err, sqlitefile.Corrupt))

	other := filepath.Join(t.TempDir(), "text.db")
	require.NoError(t, os.WriteFile(other, []byte("something else altogether"), 0o600))
	_, err = open(t, other).Exec("CREATE TABLE t (a)")
	require.True(t, sqlitefile.HasCode(err, sqlitefile.NotADatabase), "%v", err)
	require.False(t, sqlitefile.HasCode(nil, sqlitefile.NotADatabase))
	require.False(t, sqlitefile.HasCode(fs.ErrNotExist, sqlitefile.NotADatabase))
}
