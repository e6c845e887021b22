package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

func worldRecord(t *testing.T, s store.Store) {
	view(t, s, func(tx store.Tx) {
		_, err := tx.Worlds().Get(store.WorldID)
		require.ErrorIs(t, err, store.ErrNotFound)
	})
	w := &store.World{Instance: "wld_1", Number: 2, Generation: 3, At: epoch,
		Clock:  store.Clock{Mode: payments.ClockModeScaled, Scale: 10, Shown: epoch, Since: epoch.Add(-time.Hour)},
		Faults: []payments.SandboxFault{{Operation: "*", Action: "status", Status: 503, Times: 2, RetryAfter: 1}}}
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Worlds().Put(w)) })
	view(t, s, func(tx store.Tx) { requireStored(t, tx.Worlds(), w) })
}

// Only worlds with a record count, and one that has a record needs no further room.
func worldsTakeRoom(t *testing.T, s store.Store) {
	room := func(name string, most int) bool {
		has, err := s.HasRoom(context.Background(), name, most)
		require.NoError(t, err)
		return has
	}
	require.True(t, room(world, 1))
	update(t, s, func(tx store.Tx) { putAccount(t, tx, 1, pending, "ada@example.com") })
	require.True(t, room("client-2", 1))
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Worlds().Put(&store.World{Instance: "wld_1", At: epoch})) })
	require.False(t, room("client-2", 1))
	require.True(t, room("client-2", 2))
	require.True(t, room(world, 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.HasRoom(ctx, world, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// fill puts one record of each kind into a world, and jobs.
func fill(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		putAccount(t, tx, 1, pending, "ada@example.com")
		require.NoError(t, tx.Transfers().Put(transfer(1, awaitingFunds)))
		require.NoError(t, tx.Contacts().Put(&store.Contact{ID: "sct_1", At: epoch}))
		require.NoError(t, tx.Keys().Put(&store.Key{ID: "k", At: epoch}))
		require.NoError(t, tx.Clients().Put(&store.Client{ID: "c", At: epoch}))
		require.NoError(t, tx.Tokens().Put(&store.Token{Hash: "h", IssuedAt: epoch}))
		require.NoError(t, tx.Worlds().Put(&store.World{Instance: "wld_1", At: epoch}))
		require.NoError(t, tx.Requests().Put(requests(1)))
		schedule(t, tx, job(2, "b"), job(1, "a"))
	})
}

// requests is a batch of the request log that ends with a number.
func requests(last int) *store.RequestBatch {
	return &store.RequestBatch{At: epoch, Requests: []payments.SandboxRequest{
		{Number: last, Time: epoch, Method: "GET", Path: "/accounts/v1", Status: 200, RequestID: "req_1"},
	}}
}

// A later batch has a greater identifier, whatever the digits of its number.
func requestLog(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		for _, last := range []int{100, 9, 1000, 99} {
			require.NoError(t, tx.Requests().Put(requests(last)))
		}
	})
	view(t, s, func(tx store.Tx) {
		rows, err := tx.Requests().List(store.Query{Before: store.RequestBatchID(1000), Limit: 10})
		require.NoError(t, err)
		require.Equal(t, []*store.RequestBatch{requests(100), requests(99), requests(9)}, rows)
	})
}

// counts is how many records of each kind, and how many jobs, a world has.
func counts(t *testing.T, tx store.Tx) []int {
	all := []int{count(t, tx.Accounts()), count(t, tx.Transfers()), count(t, tx.Contacts()), count(t, tx.Keys()),
		count(t, tx.Clients()), count(t, tx.Tokens()), count(t, tx.Worlds()), count(t, tx.Requests())}
	jobs, err := tx.Jobs()
	require.NoError(t, err)
	return append(all, len(jobs))
}

func count[T any](t *testing.T, table store.Table[T]) int {
	rows, err := table.List(store.Query{Limit: 10})
	require.NoError(t, err)
	return len(rows)
}

// kept are the counts of a world of which Replace left the clients, tokens and the record.
var (
	filled = []int{1, 1, 1, 1, 1, 1, 1, 1, 2}
	kept   = []int{0, 0, 0, 0, 1, 1, 1, 0, 0}
)

func replaceLeavesNothing(t *testing.T, s store.Store) {
	fill(t, s)
	require.NoError(t, s.Update(context.Background(), "client-2", func(tx store.Tx) error {
		return tx.Accounts().Put(account(1, pending, "ada@example.com"))
	}))
	replace(t, s, false, func(tx store.Tx) {
		accounts := tx.Accounts()
		_, err := accounts.Get("acc_0001")
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Equal(t, kept, counts(t, tx))
		requireExtent(t, tx, store.EventExtent{})
		require.NoError(t, accounts.Put(account(1, pending, "again@example.com")))
		require.NoError(t, accounts.Put(account(2, pending, "bob@example.com")))
		schedule(t, tx, job(1, "new"))
	})
	view(t, s, func(tx store.Tx) {
		requireListed(t, tx.Accounts(), store.Query{Limit: 10}, accountIDs(2, 1))
		byEmail := store.Query{Limit: 10, Where: where(store.ColumnEmail, "ada@example.com")}
		requireListed(t, tx.Accounts(), byEmail, []string{})
	})
	update(t, s, func(tx store.Tx) { putAccount(t, tx, 1, approved, "third@example.com") })
	require.Equal(t, []store.Job{job(1, "new")}, finishJobs(t, s))
	require.NoError(t, s.View(context.Background(), "client-2", func(tx store.Tx) error {
		_, err := tx.Accounts().Get("acc_0001")
		return err
	}))
}

// replaceShowsAllAtOnce reads and writes the world while its new contents are written. Whether that waits until they
// are there depends on the store; none of it sees a part of them.
func replaceShowsAllAtOnce(t *testing.T, s store.Store) {
	fill(t, s)
	var reading sync.WaitGroup
	for range 2 { // the second one has contents to replace that were made by the first
		parts := make([]func(store.Tx), 5)
		for i := range parts {
			parts[i] = func(tx store.Tx) {
				require.Equal(t, i, count(t, tx.Contacts()), "a part sees those before")
				require.NoError(t, tx.Contacts().Put(&store.Contact{ID: fmt.Sprintf("con_%04d", i), At: epoch}))
				requireListed(t, tx.Accounts(), store.Query{Limit: 10}, []string{})
				reading.Go(func() {
					view(t, s, func(tx store.Tx) {
						require.Contains(t, []int{1, 5}, count(t, tx.Contacts()))
						_, err := tx.Worlds().Get(store.WorldID)
						require.NoError(t, err)
					})
				})
			}
		}
		replace(t, s, false, func(tx store.Tx) { require.Equal(t, 5, count(t, tx.Contacts())) }, parts...)
		view(t, s, func(tx store.Tx) { require.Equal(t, 5, count(t, tx.Contacts())) })
		reading.Wait()
		update(t, s, func(tx store.Tx) {
			for i := range 4 {
				require.NoError(t, tx.Contacts().Delete(fmt.Sprintf("con_%04d", i)))
			}
		})
	}
}

func failedReplace(t *testing.T, s store.Store) {
	fill(t, s)
	replace(t, s, true, func(tx store.Tx) {
		require.Equal(t, 1, count(t, tx.Accounts()))
		putAccount(t, tx, 4, pending, "eve@example.com")
		schedule(t, tx, job(0, "z"))
	}, func(tx store.Tx) { putAccount(t, tx, 3, pending, "eve@example.com") })
	ctx, cancel := context.WithCancel(context.Background())
	parts := func(yield func(func(store.Tx) error) bool) {
		_ = yield(func(tx store.Tx) error { cancel(); return tx.Accounts().Put(account(3, pending, "eve@example.com")) })
	}
	unreached := func(store.Tx) error { require.Fail(t, "not reached"); return nil }
	require.ErrorIs(t, s.Replace(ctx, world, parts, unreached), context.Canceled)
	func() {
		defer func() { require.Equal(t, "a panic", recover()) }()
		replace(t, s, false, func(store.Tx) { panic("a panic") }, func(tx store.Tx) { putAccount(t, tx, 3, pending, "x") })
	}()
	view(t, s, func(tx store.Tx) {
		require.Equal(t, filled, counts(t, tx))
		byEmail := store.Query{Limit: 10, Where: where(store.ColumnEmail, "ada@example.com")}
		requireListed(t, tx.Accounts(), byEmail, accountIDs(1))
	})
	require.Equal(t, []store.Job{job(1, "a"), job(2, "b")}, finishJobs(t, s))
}

// replacesBesideUpdates counts in the world's record how often it was replaced, while other updates write into it.
func replacesBesideUpdates(t *testing.T, s store.Store) {
	const replaces = 8
	ctx, stop := context.WithCancel(context.Background())
	var writing sync.WaitGroup
	for worker := range 2 {
		writing.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				update(t, s, func(tx store.Tx) { putAccount(t, tx, 10*worker+i%10, pending, "ada@example.com") })
			}
		})
	}
	for i := range replaces {
		replace(t, s, false, func(tx store.Tx) {
			require.Equal(t, 1, count(t, tx.Accounts()), "only what the parts have written")
			require.NoError(t, tx.Worlds().Put(&store.World{Number: i + 1}))
		}, func(tx store.Tx) { putAccount(t, tx, 99, approved, "new@example.com") })
	}
	stop()
	writing.Wait()
	view(t, s, func(tx store.Tx) {
		record, err := tx.Worlds().Get(store.WorldID)
		require.NoError(t, err)
		require.Equal(t, replaces, record.Number)
		requireListed(t, tx.Accounts(), store.Query{Limit: 1}, accountIDs(99))
	})
}

func jobsListed(t *testing.T, s store.Store) {
	added := []store.Job{job(2, "b"), job(1, "a1"), job(0, "z"), job(1, "a2")}
	update(t, s, func(tx store.Tx) { schedule(t, tx, added...) })
	view(t, s, func(tx store.Tx) {
		jobs, err := tx.Jobs()
		require.NoError(t, err)
		require.Equal(t, []store.Job{added[2], added[1], added[3], added[0]}, jobs)
	})
	require.Len(t, finishJobs(t, s), 4, "reading removes nothing")
}
