package sqlite_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
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

// A folder in which each event has a row of its own, as they had at first, keeps its events, and goes on behind them.
func TestEventsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	tables, err := os.ReadFile(filepath.Join("migrations", "0001_records.sql"))
	require.NoError(t, err)
	for _, statement := range []string{
		"CREATE TABLE migrations (version BIGINT NOT NULL PRIMARY KEY)",
		"INSERT INTO migrations (version) VALUES (1)",
		string(tables),
		`INSERT INTO events (world, seq, type, document) VALUES
			('client-1', 3, 'contact.created', '{"Seq":3,"Type":"contact.created","At":"2026-01-02T03:04:05Z","SubjectID":"con_1","From":"","To":"","Data":{"label":"Ada"}}'),
			('client-1', 4, 'contact.deleted', '{"Seq":4,"Type":"contact.deleted","At":"2026-01-02T03:04:06Z","SubjectID":"con_1","From":"","To":"","Data":{"label":"Ada"}}')`,
		"INSERT INTO counters (world, pruned, last, jobs) VALUES ('client-1', 2, 4, 0)",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Events().Append(&store.Event{Type: payments.EventTypeContactCreated, SubjectID: "con_2", Of: store.Told{Label: "Bea"}})
		return err
	}))
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		found, err := tx.Events().After(store.EventQuery{After: 2, Types: []payments.EventType{payments.EventTypeContactCreated}, Limit: 9})
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, "con_1", found[0].SubjectID)
		require.Equal(t, "Ada", found[0].Of.EventData().Label)
		require.Equal(t, uint64(5), found[1].Seq)
		return nil
	}))
}

// The log begins anew again and again while there is always somebody who writes.
func TestLogDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	s.CopyLogAfter(50)
	const writers, updates, size = 4, 500, 10_000
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for i := range updates {
				if err := s.Update(t.Context(), world, func(tx store.Tx) error {
					answer := store.AnswerText(make([]byte, size))
					return tx.Keys().Put(&store.Key{ID: fmt.Sprint(writer, i), Answer: answer})
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	log, err := os.Stat(filepath.Join(folder, "payctl.db-wal"))
	require.NoError(t, err)
	require.Less(t, log.Size(), int64(writers*updates*size/2))
}

// A connection that SQLite does not take for closed keeps its files, and its locks on them, for as long as the process lives.
func TestCloseLeavesOneFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Keys().Get("k")
		return err
	}))
	require.NoError(t, s.Close())
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1, "whoever is the last to close the database takes its log away")
	open, err := filepath.Glob("/proc/self/fd/*") // none where there is no such folder
	require.NoError(t, err)
	for _, descriptor := range open {
		file, _ := os.Readlink(descriptor) // it may be closed meanwhile
		require.NotContains(t, file, folder)
	}
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
