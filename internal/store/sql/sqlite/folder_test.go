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
	"github.com/payctl/payctl/internal/store/sql/sqlite"
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
	require.Equal(t, []string{"payctl.db", "payctl.db-shm", "payctl.db-wal", "payctl.lock", "payctl.state"}, found,
		"and it is the folder that was named")
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
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 1000")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = sqlite.Open(t.Context(), folder)
	require.ErrorIs(t, err, sqlite.ErrNewer)
}

// A folder of an earlier version, which packed events into rows, keeps its events, and new ones follow them.
func TestEventsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	statements := []string{
		"CREATE TABLE migrations (version BIGINT NOT NULL PRIMARY KEY)", "INSERT INTO migrations (version) VALUES (1), (2)",
	}
	for _, file := range []string{"0001_records.sql", "0002_events_in_rows.sql"} {
		script, err := os.ReadFile(filepath.Join("migrations", file))
		require.NoError(t, err)
		statements = append(statements, string(script))
	}
	for _, statement := range append(statements,
		`INSERT INTO events (world, first, last, types, document) VALUES
			('client-1', 2, 3, ' contact.created ', '[
				{"Seq":2,"Type":"contact.created","At":"2026-01-02T03:04:04Z","SubjectID":"con_0","From":"","To":"","Data":{}},
				{"Seq":3,"Type":"contact.created","At":"2026-01-02T03:04:05Z","SubjectID":"con_1","From":"","To":"","Data":{"label":"Ada"}}]'),
			('client-1', 4, 4, ' contact.deleted ', '[
				{"Seq":4,"Type":"contact.deleted","At":"2026-01-02T03:04:06Z","SubjectID":"con_1","Data":{"label":"Ada"}}]')`,
		"INSERT INTO counters (world, pruned, last, jobs) VALUES ('client-1', 2, 4, 0)",
	) {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	require.NoError(t, os.Chmod(filepath.Join(folder, "payctl.db"), 0o600))
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Events().Append(&store.Event{
			Type: payments.EventTypeContactCreated, SubjectID: "con_2", Data: payments.EventData{Label: "Bea"},
		})
		return err
	}))
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		found, err := tx.Events().After(store.EventQuery{Limit: 9})
		require.NoError(t, err)
		require.Len(t, found, 3)
		created := []payments.EventType{payments.EventTypeContactCreated}
		found, err = tx.Events().After(store.EventQuery{After: 2, Types: created, Limit: 9})
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, "con_1", found[0].SubjectID)
		require.Equal(t, uint64(3), found[0].Seq)
		require.Equal(t, "Ada", found[0].Data.Label)
		require.Equal(t, uint64(5), found[1].Seq)
		found, err = tx.Events().After(store.EventQuery{Subject: "con_1", Limit: 9})
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, payments.EventTypeContactDeleted, found[1].Type)
		require.Equal(t, payments.EventData{Label: "Ada"}, found[1].Data)
		found, err = tx.Events().After(store.EventQuery{Subject: "con_2", Limit: 9})
		require.NoError(t, err)
		require.Len(t, found, 1)
		return nil
	}))
}

// Contacts of a folder of an earlier version, which had neither column, are found by their labels.
func TestContactsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	scripts, err := filepath.Glob(filepath.Join("migrations", "000[1-6]_*.sql"))
	require.NoError(t, err)
	require.Len(t, scripts, 6)
	var statements []string
	for _, file := range scripts {
		script, err := os.ReadFile(file)
		require.NoError(t, err)
		statements = append(statements, string(script))
	}
	for _, statement := range append(statements, "PRAGMA user_version = 6",
		`INSERT INTO contacts (world, id, created, account_id, document) VALUES ('`+world+`', 'sct_1', '', 'acc_1',
			'{"accountId":"acc_1","label":"Ada \"L\"","holderName":"Ada","holderType":"individual","ID":"sct_1"}')`,
	) {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	require.NoError(t, os.Chmod(filepath.Join(folder, "payctl.db"), 0o600))
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	find := func(column, value string) (found []*store.Contact) {
		require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) (err error) {
			found, err = tx.Contacts().List(store.Query{Where: map[string]string{column: value}, Limit: 9})
			return err
		}))
		return found
	}
	found := find(store.ColumnLabel, `Ada "L"`)
	require.Len(t, found, 1)
	require.Equal(t, "sct_1", found[0].ID)
	changed := *found[0]
	changed.Label, changed.ExternalID = "Bea", "x-1"
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error { return tx.Contacts().Put(&changed) }))
	require.Empty(t, find(store.ColumnLabel, `Ada "L"`))
	require.Len(t, find(store.ColumnLabel, "Bea"), 1)
	require.Len(t, find(store.ColumnExternalID, "x-1"), 1)
}

// The log begins anew again and again although updates never stop.
func TestLogIsReused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	s.CheckpointAfter(50)
	const writers, updates, size = 4, 500, 10_000
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for i := range updates {
				if err := s.Update(t.Context(), world, func(tx store.Tx) error {
					return tx.Keys().Put(&store.Key{ID: fmt.Sprint(writer, i), Response: make([]byte, size)})
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

// A connection that SQLite does not close keeps its files, and its locks, while the process runs.
func TestCloseLeavesNoLog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Keys().Get("k")
		return err
	}))
	require.NoError(t, s.Close())
	files, err := filepath.Glob(filepath.Join(folder, "payctl.db*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "the last process to close the database removes its log")
	open, err := filepath.Glob("/proc/self/fd/*") // none where there is no such folder
	require.NoError(t, err)
	for _, descriptor := range open {
		file, _ := os.Readlink(descriptor) // it may be closed meanwhile
		require.NotContains(t, file, folder)
	}
}

// Processes that start together on a new folder do not disturb each other.
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
