package sql_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

// accountParts are parts with some accounts each.
func accountParts(parts int) func(func(func(store.Tx) error) bool) {
	return func(yield func(func(store.Tx) error) bool) {
		for part := range parts {
			if !yield(func(tx store.Tx) error {
				for i := range 50 {
					a := &store.Account{}
					a.ID = fmt.Sprintf("acc_%d_%d", part, i)
					if err := tx.Accounts().Put(a); err != nil {
						return err
					}
				}
				return nil
			}) {
				return
			}
		}
	}
}

func showIt(store.Tx) error { return nil }

// rows counts the rows of all tables that hold contents or name them.
func rows(t *testing.T, folder string) (counted map[string]int) {
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	counted = map[string]int{}
	for _, table := range []string{"accounts", "jobs", "events", "unused_contents"} {
		var n int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		counted[table] = n
	}
	return counted
}

// What no world has is deleted, also what an earlier process has left.
func TestContentsThatAreReplacedAreDeleted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Replace(t.Context(), world, accountParts(20), showIt))
	require.NoError(t, s.Replace(t.Context(), world, accountParts(3), showIt))
	ctx, cancel := context.WithCancel(t.Context())
	stopped := func(yield func(func(store.Tx) error) bool) {
		accountParts(5)(yield)
		cancel()
	}
	require.ErrorIs(t, s.Replace(ctx, world, stopped, showIt), context.Canceled)
	require.Eventually(t, func() bool {
		counted := rows(t, folder)
		return counted["accounts"] == 150 && counted["unused_contents"] == 0
	}, 20*time.Second, 10*time.Millisecond)

	// A process that ends while it replaces leaves the parts that it has written.
	ended := func(yield func(func(store.Tx) error) bool) {
		accountParts(5)(yield)
		require.NoError(t, s.Close())
	}
	require.Error(t, s.Replace(t.Context(), world, ended, showIt))
	require.Equal(t, 400, rows(t, folder)["accounts"])
	s = openIn(t, folder)
	require.Eventually(t, func() bool {
		counted := rows(t, folder)
		return counted["accounts"] == 150 && counted["unused_contents"] == 0
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Accounts().Get("acc_2_49")
		return err
	}))
	require.NoError(t, s.Close())
}

// Every table with rows of worlds either holds contents or what a Replace leaves.
func TestContentTablesAreAll(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, openIn(t, folder).Close())
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	found, err := db.QueryContext(t.Context(),
		"SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'world'")
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	var tables []string
	for found.Next() {
		var name string
		require.NoError(t, found.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, found.Err())
	require.ElementsMatch(t, tables, append(storesql.ContentTables(), "worlds", "clients", "tokens", "heads"))
}
