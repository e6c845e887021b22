package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// job is due some seconds after epoch.
func job(seconds int, subject string) store.Job {
	at := epoch.Add(time.Duration(seconds) * time.Second)
	return store.Job{At: at, Kind: store.JobKYC, Subject: subject, Revision: len(subject)}
}

func schedule(t require.TestingT, tx store.Tx, jobs ...store.Job) {
	for _, j := range jobs {
		require.NoError(t, tx.Schedule(j))
	}
}

// finishJobs finishes every job and returns them in their order.
func finishJobs(t require.TestingT, s store.Store) []store.Job {
	var all []store.Job
	update(t, s, func(tx store.Tx) {
		for {
			next, err := tx.NextJob()
			if errors.Is(err, store.ErrNotFound) {
				require.ErrorIs(t, tx.FinishJob(), store.ErrNotFound)
				return
			}
			require.NoError(t, err)
			require.NoError(t, tx.FinishJob())
			all = append(all, next)
		}
	})
	return all
}

func jobsInOrder(t *testing.T, s store.Store) {
	added := []store.Job{
		job(3, "c"), job(1, "a1"), job(1, "a2"), job(0, "z"), job(1, "a3"), job(2, "b"), job(1, "a1"),
	}
	update(t, s, func(tx store.Tx) { schedule(t, tx, added[:4]...) })
	update(t, s, func(tx store.Tx) { schedule(t, tx, added[4:]...) })
	expected := []store.Job{added[3], added[1], added[2], added[4], added[6], added[5], added[0]}
	view(t, s, func(tx store.Tx) {
		for range 2 { // reading removes nothing
			next, err := tx.NextJob()
			require.NoError(t, err)
			require.Equal(t, expected[0], next)
		}
	})
	require.Equal(t, expected, finishJobs(t, s))
	require.Empty(t, finishJobs(t, s))
}

// fillAccounts fills a world with accounts and jobs.
func fillAccounts(t require.TestingT, s store.Store) {
	update(t, s, func(tx store.Tx) {
		putAccount(t, tx, 1, pending, "ada@example.com")
		putAccount(t, tx, 2, approved, "bob@example.com")
		schedule(t, tx, job(1, "first"), job(1, "second"))
	})
}

// changeEverything changes everything that fillAccounts has written.
func changeEverything(t require.TestingT, tx store.Tx) {
	putAccount(t, tx, 1, rejected, "eve@example.com")
	putAccount(t, tx, 1, expired, "mallory@example.com")
	require.NoError(t, tx.Accounts().Delete("acc_0002"))
	putAccount(t, tx, 3, pending, "ada@example.com")
	require.NoError(t, tx.Accounts().Delete("acc_0003"))
	putAccount(t, tx, 4, pending, "ada@example.com")
	require.NoError(t, tx.Transfers().Put(transfer(1, awaitingFunds)))
	require.NoError(t, tx.FinishJob())
	schedule(t, tx, job(0, "zeroth"))
	require.NoError(t, tx.FinishJob())
	schedule(t, tx, job(1, "third"))
}

func requireFilled(t require.TestingT, s store.Store) {
	view(t, s, func(tx store.Tx) {
		requireStored(t, tx.Accounts(), account(1, pending, "ada@example.com"))
		requireStored(t, tx.Accounts(), account(2, approved, "bob@example.com"))
		for where, expected := range map[[2]string][]string{
			{store.ColumnKYCStatus, ""}:                {"acc_0002", "acc_0001"},
			{store.ColumnKYCStatus, string(pending)}:   {"acc_0001"},
			{store.ColumnKYCStatus, string(approved)}:  {"acc_0002"},
			{store.ColumnKYCStatus, string(expired)}:   {},
			{store.ColumnEmail, "ada@example.com"}:     {"acc_0001"},
			{store.ColumnEmail, "eve@example.com"}:     {},
			{store.ColumnEmail, "mallory@example.com"}: {},
		} {
			query := store.Query{Limit: 9}
			if where[1] != "" {
				query.Where = map[string]string{where[0]: where[1]}
			}
			requireListed(t, tx.Accounts(), query, expected, where)
		}
		requireListed(t, tx.Transfers(), store.Query{Limit: 9}, []string{})
	})
	require.Equal(t, []store.Job{job(1, "first"), job(1, "second")}, finishJobs(t, s))
}

func errorRollsBack(t *testing.T, s store.Store) {
	fillAccounts(t, s)
	updateOrFail(t, s, true, func(tx store.Tx) { changeEverything(t, tx) })
	requireFilled(t, s)
}

func panicRollsBack(t *testing.T, s store.Store) {
	fillAccounts(t, s)
	require.PanicsWithValue(t, "oh", func() {
		_ = s.Update(t.Context(), world, func(tx store.Tx) error {
			changeEverything(t, tx)
			panic("oh")
		})
	})
	requireFilled(t, s)
}

func jobKeepsItsPlace(t *testing.T, s store.Store) {
	fillAccounts(t, s)
	updateOrFail(t, s, true, func(tx store.Tx) { require.NoError(t, tx.FinishJob()) })
	update(t, s, func(tx store.Tx) { schedule(t, tx, job(1, "third")) })
	require.Equal(t, []store.Job{job(1, "first"), job(1, "second"), job(1, "third")}, finishJobs(t, s))
}

func viewOnlyReads(t *testing.T, s store.Store) {
	fillAccounts(t, s)
	for name, write := range map[string]func(store.Tx) error{
		"put": func(tx store.Tx) error {
			return tx.Accounts().Put(account(9, pending, "x@example.com"))
		},
		"replace": func(tx store.Tx) error {
			return tx.Accounts().Put(account(1, expired, "x@example.com"))
		},
		"delete":   func(tx store.Tx) error { return tx.Accounts().Delete("acc_0001") },
		"schedule": func(tx store.Tx) error { return tx.Schedule(job(0, "never")) },
		"finish":   func(tx store.Tx) error { return tx.FinishJob() },
	} {
		err := s.View(t.Context(), world, write)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, store.ErrNotFound, name)
	}
	requireFilled(t, s)
}

func viewIsConsistent(t *testing.T, s store.Store) {
	for revision := range 20 {
		put := func(tx store.Tx, number int) {
			a := account(number, pending, "ada@example.com")
			a.Revision = revision
			require.NoError(t, tx.Accounts().Put(a))
		}
		var views sync.WaitGroup
		update(t, s, func(tx store.Tx) {
			put(tx, 1)
			for range 4 {
				views.Go(func() { requireBothOrNeither(t, s) })
			}
			for range 1000 { // so that the views could come between; they may have to wait for the end of this
				runtime.Gosched()
			}
			put(tx, 2)
		})
		views.Wait()
	}
}

func requireBothOrNeither(t *testing.T, s store.Store) {
	err := s.View(context.Background(), world, func(tx store.Tx) error {
		one, err := tx.Accounts().Get("acc_0001")
		other, otherErr := tx.Accounts().Get("acc_0002")
		if !errors.Is(otherErr, err) || err == nil && one.Revision != other.Revision {
			t.Error("a view saw half of an update")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func worldsAreApart(t *testing.T, s store.Store) {
	fillAccounts(t, s)
	for _, other := range []string{"client-2", "", "client-1 ", "CLIENT-1"} {
		require.NoError(t, s.View(t.Context(), other, func(tx store.Tx) error {
			_, err := tx.Accounts().Get("acc_0001")
			requireFound(t, false, err)
			requireListed(t, tx.Accounts(), store.Query{Limit: 9}, []string{})
			_, err = tx.NextJob()
			requireFound(t, false, err)
			return nil
		}))
		require.NoError(t, s.Update(t.Context(), other, func(tx store.Tx) error {
			schedule(t, tx, job(0, "theirs"))
			return tx.Accounts().Put(account(1, rejected, "eve@example.com"))
		}))
	}
	requireFilled(t, s)
}

func concurrentUpdates(t *testing.T, s store.Store) {
	const workers, rounds = 16, 25
	update(t, s, func(tx store.Tx) { putAccount(t, tx, 0, pending, "ada@example.com") })
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := range rounds {
				err := s.Update(context.Background(), world, func(tx store.Tx) error {
					record, err := tx.Accounts().Get("acc_0000")
					if err != nil {
						return err
					}
					counted := *record
					counted.Revision++
					if err := tx.Accounts().Put(&counted); err != nil {
						return err
					}
					return tx.Keys().Put(&store.Key{ID: fmt.Sprint(worker, " ", i), At: epoch})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	view(t, s, func(tx store.Tx) {
		record, err := tx.Accounts().Get("acc_0000")
		require.NoError(t, err)
		require.Equal(t, 3+workers*rounds, record.Revision)
		rows, err := tx.Keys().List(store.Query{Limit: 2 * workers * rounds})
		require.NoError(t, err)
		require.Len(t, rows, workers*rounds)
	})
}

func endedContext(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	called := false
	fn := func(store.Tx) error {
		called = true
		return nil
	}
	require.ErrorIs(t, s.Update(ctx, world, fn), context.Canceled)
	require.ErrorIs(t, s.View(ctx, world, fn), context.Canceled)
	require.False(t, called)
}
