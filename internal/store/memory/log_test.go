package memory_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/storetest"
)

const world = "client"

func open(t *testing.T, folder string) *memory.Store {
	t.Helper()
	s, err := memory.Open(t.Context(), folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func put(s store.Store, id string) error {
	return s.Update(context.Background(), world, func(tx store.Tx) error { return tx.Keys().Put(&store.Key{ID: id}) })
}

func keys(t *testing.T, s store.Store) (found []string) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		all, err := tx.Keys().List(store.Query{Limit: 1000, Ascending: true})
		for _, key := range all {
			found = append(found, key.ID)
		}
		return err
	}))
	return found
}

// The store notices before the next acknowledgement that the database was removed or replaced. No failed update is
// visible, even when the database is back.
func TestDatabaseIsRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "payctl.db")
	s := open(t, folder)
	require.NoError(t, put(s, "before"))
	for name, replacement := range map[string]func() error{
		"removed":  func() error { return nil },
		"replaced": func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		require.NoError(t, os.Rename(path, path+".moved"), name)
		require.NoError(t, replacement())
		require.ErrorIs(t, put(s, "lost"), store.ErrUnavailable, name)
		require.ErrorIs(t, s.Ready(t.Context()), store.ErrUnavailable)
		require.NoError(t, os.Rename(path+".moved", path))
		require.NoError(t, s.Ready(t.Context()))
		require.Equal(t, []string{"before"}, keys(t, s), name)
	}
	require.NoError(t, put(s, "then"))
	require.NoError(t, s.Close())
	require.Equal(t, []string{"before", "then"}, keys(t, open(t, folder)))
}

// Reads and refusals that depend on an update wait until it is committed.
func TestNothingUncommittedIsShown(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := open(t, folder)
	require.NoError(t, put(s, "before"))
	other, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	defer other.Close()
	lock, err := other.Conn(t.Context())
	require.NoError(t, err)
	_, err = lock.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)

	var released atomic.Bool
	done := make(chan error, 3)
	ran := make(chan struct{})
	go func() {
		done <- s.Update(t.Context(), world, func(tx store.Tx) error {
			defer close(ran)
			return tx.Keys().Put(&store.Key{ID: "new"})
		})
	}()
	<-ran
	saw := func(tx store.Tx) error {
		if _, err := tx.Keys().Get("new"); err != nil {
			return err
		}
		return store.ErrReadOnly // as a refusal
	}
	for _, read := range []func() error{
		func() error { return s.View(t.Context(), world, saw) },
		func() error { return s.Update(t.Context(), world, saw) },
	} {
		go func() {
			err := read()
			if !released.Load() {
				err = fmt.Errorf("it saw what is not committed: %w", err)
			}
			done <- err
		}()
	}
	released.Store(true)
	_, err = lock.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	var refused int
	for range 3 {
		if err := <-done; err != nil {
			require.Equal(t, store.ErrReadOnly, err)
			refused++
		}
	}
	require.Equal(t, 2, refused)
}

// A folder that lacks acknowledged commits is refused with both numbers. Without payctl.commit, it is accepted, and
// each world becomes another instance.
func TestLoss(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	instance := func(s store.Store) (name string) {
		require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
			record, err := tx.Worlds().Get(store.WorldID)
			name = record.Instance
			return err
		}))
		return name
	}
	s := open(t, folder)
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		return tx.Worlds().Put(&store.World{Instance: "wld_1"})
	}))
	require.NoError(t, put(s, "one"))
	require.NoError(t, s.Close())
	earlier, err := os.ReadFile(filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	s = open(t, folder)
	require.NoError(t, put(s, "two"))
	require.Equal(t, "wld_1", instance(s))
	require.NoError(t, s.Close())

	require.NoError(t, os.WriteFile(filepath.Join(folder, "payctl.db"), earlier, 0o600))
	_, err = memory.Open(t.Context(), folder)
	var loss *memory.LossError
	require.ErrorAs(t, err, &loss)
	require.Equal(t, memory.LossError{Found: 2, Acknowledged: 3}, *loss)
	require.NoError(t, os.Remove(filepath.Join(folder, "payctl.commit")))
	s = open(t, folder)
	require.Equal(t, []string{"one"}, keys(t, s))
	require.Regexp(t, "^wld_[0-9a-f]{32}$", instance(s))
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	with := func(statement string) string {
		folder := t.TempDir()
		db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		require.NoError(t, os.Chmod(filepath.Join(folder, "payctl.db"), 0o600))
		return folder
	}
	_, err := memory.Open(t.Context(), with("PRAGMA user_version = 2"))
	require.ErrorIs(t, err, memory.ErrNewer)
	_, err = memory.Open(t.Context(), with("CREATE TABLE notes (text TEXT)"))
	require.ErrorIs(t, err, memory.ErrForeign)
	_, err = memory.Open(t.Context(), filepath.Join(t.TempDir(), fmt.Sprintf("%0200d/%0200d/%0200d", 1, 2, 3)))
	require.ErrorContains(t, err, "SQLite opens paths of at most")
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) store.Store { return memory.New() })
}

func TestStoreWithLog(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		s, err := memory.Open(t.Context(), t.TempDir())
		require.NoError(t, err)
		return s
	})
}
