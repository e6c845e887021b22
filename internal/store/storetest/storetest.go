// Package storetest holds every store.Store to what package store promises. Tests alone import it.
package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// Run holds the stores that open makes to the promises of package store. Each call of open returns an empty store, which
// Run closes.
func Run(t *testing.T, open func(testing.TB) store.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store){
		"what was put is got":                     putAndGet,
		"put replaces":                            putReplaces,
		"delete removes":                          deleteRemoves,
		"list filters":                            listFilters,
		"list follows changed columns":            listFollowsChanges,
		"pages stay whole while rows are added":   pagesStayWhole,
		"jobs come by time, then in their order":  jobsInOrder,
		"an error takes everything back":          errorRollsBack,
		"a panic takes everything back":           panicRollsBack,
		"a rolled back job keeps its place":       jobKeepsItsPlace,
		"a view cannot write":                     viewOnlyReads,
		"a view sees all of an update or nothing": viewIsConsistent,
		"worlds do not meet":                      worldsAreApart,
		"concurrent updates are all counted":      concurrentUpdates,
		"an ended context changes nothing":        endedContext,
		"a world knows about itself":              worldRecord,
		"clear removes all of one world":          clearRemoves,
		"a rolled back clear removes nothing":     clearRollsBack,
		"all jobs are listed in order":            jobsListed,
		"an export makes the same world again":    exportIsWhole,
		"events come in order, without gaps":      eventsInOrder,
		"events of one update come in parts":      eventsTogether,
		"events are forgotten from the front":     eventsAreForgotten,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, opened(t, open))
		})
	}
	t.Run("it behaves as a naive model does", func(t *testing.T) {
		t.Parallel()
		model(t, open)
	})
	t.Run("a failed transaction leaves no event and no gap", func(t *testing.T) {
		t.Parallel()
		eventsRollBack(t, open)
	})
}

func opened(t testing.TB, open func(testing.TB) store.Store) store.Store {
	t.Helper()
	s := open(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

const world = "client-1"

// update commits fn and fails the test when it does not.
func update(t require.TestingT, s store.Store, fn func(store.Tx)) {
	require.NoError(t, s.Update(context.Background(), world, func(tx store.Tx) error {
		fn(tx)
		return nil
	}))
}

// view reads.
func view(t require.TestingT, s store.Store, fn func(store.Tx)) {
	require.NoError(t, s.View(context.Background(), world, func(tx store.Tx) error {
		fn(tx)
		return nil
	}))
}
