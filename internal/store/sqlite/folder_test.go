package sqlite_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sqlite"
)

func TestNobodyElseMayReadTheFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has other permissions")
	}
	folder := filepath.Join(t.TempDir(), "a folder?", "100%#1")
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		info, err := file.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), file.Name())
		found = append(found, file.Name())
	}
	require.Equal(t, []string{"payctl.db", "payctl.db-shm", "payctl.db-wal"}, found, "and it is the folder that was named")
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := sqlite.Open(t.Context(), file)
	require.Error(t, err)

	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "payctl.db"), []byte("something else altogether, and not short"), 0o600))
	_, err = sqlite.Open(t.Context(), folder)
	require.ErrorContains(t, err, "not a database")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "payctl.db"), []byte("S"), 0o600))
	_, err = sqlite.Open(t.Context(), folder)
	require.ErrorContains(t, err, "no database any more", "and no new one is made of it")
}

func TestDataOfALaterVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, openIn(t, folder).Close())
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "INSERT INTO migrations (version) VALUES (1000)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = sqlite.Open(t.Context(), folder)
	require.ErrorIs(t, err, sqlite.ErrNewer)
}

// Processes that start together on a new folder do not get in each other's way.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := sqlite.Open(t.Context(), folder)
			if err == nil {
				err = s.Update(t.Context(), world, func(tx store.Tx) error {
					_, err := tx.Accounts().List(store.Query{Limit: 1})
					return err
				})
			}
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
