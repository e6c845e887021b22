// Package storetest is the test suite of every store.Store. Only tests import it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// Run tests stores against the comments of package store. Each call of open returns an empty store, which Run closes.
func Run(t *testing.T, open func(testing.TB) store.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store){
		"get returns what was put":                putAndGet,
		"put replaces":                            putReplaces,
		"delete removes":                          deleteRemoves,
		"list filters":                            listFilters,
		"list filters saved contacts":             listFiltersContacts,
		"list follows changed columns":            listFollowsChanges,
		"a transfer is found by its reference":    transferByReference,
		"pages stay whole while rows are added":   pagesStayWhole,
		"jobs come by time, then in their order":  jobsInOrder,
		"an error takes everything back":          errorRollsBack,
		"a panic takes everything back":           panicRollsBack,
		"a rolled back job keeps its place":       jobKeepsItsPlace,
		"a view cannot write":                     viewOnlyReads,
		"a view sees all of an update or nothing": viewIsConsistent,
		"worlds are separate":                     worldsAreApart,
		"concurrent updates are all counted":      concurrentUpdates,
		"an ended context changes nothing":        endedContext,
		"a world knows about itself":              worldRecord,
		"a request log is listed by number":       requestLog,
		"worlds with a record take room":          worldsTakeRoom,
		"replace leaves nothing of before":        replaceLeavesNothing,
		"replace shows all at once":               replaceShowsAllAtOnce,
		"a failed replace changes nothing":        failedReplace,
		"replaces and updates may meet":           replacesBesideUpdates,
		"all jobs are listed in order":            jobsListed,
		"an export makes the same world again":    exportIsWhole,
		"events come in order, without gaps":      eventsInOrder,
		"events of one update come in parts":      eventsTogether,
		"events are pruned from the front":        eventsArePruned,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openStore(t, open))
		})
	}
	t.Run("it behaves as a modelWorld model does", func(t *testing.T) {
		t.Parallel()
		model(t, newWorlds(openStore(t, open)))
	})
	t.Run("a failed transaction leaves no event and no gap", func(t *testing.T) {
		t.Parallel()
		eventsRollBack(t, newWorlds(openStore(t, open)))
	})
}

func openStore(t testing.TB, open func(testing.TB) store.Store) store.Store {
	t.Helper()
	s := open(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

const world = "client-1"

// otherWorlds is a store whose worlds have other names than in the store behind it.
type otherWorlds struct {
	store.Store
	prefix string
}

// newWorlds returns a function that returns a store without any worlds each time, with the same store behind all of
// them: to open one takes longer than most tests.
func newWorlds(s store.Store) func() store.Store {
	opened := 0
	return func() store.Store {
		opened++
		return otherWorlds{s, fmt.Sprint(opened, " ")}
	}
}

func (o otherWorlds) Update(ctx context.Context, world string, fn func(store.Tx) error, needs ...store.Need) error {
	return o.Store.Update(ctx, o.prefix+world, fn, needs...)
}

func (o otherWorlds) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	return o.Store.Replace(ctx, o.prefix+world, parts, last)
}

func (o otherWorlds) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	return o.Store.View(ctx, o.prefix+world, fn)
}

// update commits fn and fails the test when it does not.
func update(t require.TestingT, s store.Store, fn func(store.Tx)) {
	require.NoError(t, s.Update(context.Background(), world, func(tx store.Tx) error {
		fn(tx)
		return nil
	}))
}

// updateOrFail commits fn, or rolls it back.
func updateOrFail(t require.TestingT, s store.Store, fails bool, fn func(store.Tx)) {
	var failure error
	if fails {
		failure = errors.New("rolled back")
	}
	require.ErrorIs(t, s.Update(context.Background(), world, func(tx store.Tx) error {
		fn(tx)
		return failure
	}), failure)
}

// replace gives the world other contents, or fails after all parts.
func replace(t require.TestingT, s store.Store, fails bool, last func(store.Tx), parts ...func(store.Tx)) {
	var failure error
	if fails {
		failure = errors.New("rolled back")
	}
	all := func(yield func(func(store.Tx) error) bool) {
		for _, part := range parts {
			if !yield(func(tx store.Tx) error { part(tx); return nil }) {
				return
			}
		}
	}
	require.ErrorIs(t, s.Replace(context.Background(), world, all, func(tx store.Tx) error {
		last(tx)
		return failure
	}), failure)
}

// view reads.
func view(t require.TestingT, s store.Store, fn func(store.Tx)) {
	require.NoError(t, s.View(context.Background(), world, func(tx store.Tx) error {
		fn(tx)
		return nil
	}))
}
