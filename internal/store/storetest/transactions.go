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

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

func job(at time.Duration, subject string) store.Job {
	return store.Job{At: epoch.Add(at), Kind: store.JobKYC, Subject: subject, Revision: len(subject)}
}

// drain takes every job.
func drain(t require.TestingT, s store.Store) []store.Job {
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
	added := []store.Job{job(3*time.Second, "c"), job(time.Second, "a1"), job(time.Second, "a2"), job(0, "z"), job(time.Second, "a3"), job(2*time.Second, "b"), job(time.Second, "a1")}
	update(t, s, func(tx store.Tx) {
		for _, j := range added[:4] {
			require.NoError(t, tx.Schedule(j))
		}
	})
	update(t, s, func(tx store.Tx) {
		for _, j := range added[4:] {
			require.NoError(t, tx.Schedule(j))
		}
	})
	expected := []store.Job{added[3], added[1], added[2], added[4], added[6], added[5], added[0]}
	view(t, s, func(tx store.Tx) {
		for range 2 { // looking takes nothing
			next, err := tx.NextJob()
			require.NoError(t, err)
			require.Equal(t, expected[0], next)
		}
	})
	require.Equal(t, expected, drain(t, s))
	require.Empty(t, drain(t, s))
}

// furnish fills a world, and unsettle changes everything in it.
func furnish(t require.TestingT, s store.Store) {
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
		require.NoError(t, tx.Accounts().Put(account(2, payments.KYCStatusApproved, "bob@example.com")))
		require.NoError(t, tx.Schedule(job(time.Second, "first")))
		require.NoError(t, tx.Schedule(job(time.Second, "second")))
	})
}

func unsettle(t require.TestingT, tx store.Tx) {
	require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusRejected, "eve@example.com")))
	require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusExpired, "mallory@example.com")))
	require.NoError(t, tx.Accounts().Delete("acc_0002"))
	require.NoError(t, tx.Accounts().Put(account(3, payments.KYCStatusPending, "ada@example.com")))
	require.NoError(t, tx.Accounts().Delete("acc_0003"))
	require.NoError(t, tx.Accounts().Put(account(4, payments.KYCStatusPending, "ada@example.com")))
	require.NoError(t, tx.Transfers().Put(transfer(1, payments.TransferStateAwaitingFunds)))
	require.NoError(t, tx.FinishJob())
	require.NoError(t, tx.Schedule(job(0, "zeroth")))
	require.NoError(t, tx.FinishJob())
	require.NoError(t, tx.Schedule(job(time.Second, "third")))
}

func requireFurnished(t require.TestingT, s store.Store) {
	view(t, s, func(tx store.Tx) {
		gotten(t, tx.Accounts(), account(1, payments.KYCStatusPending, "ada@example.com"))
		gotten(t, tx.Accounts(), account(2, payments.KYCStatusApproved, "bob@example.com"))
		for where, expected := range map[[2]string][]string{
			{store.ColumnKYCStatus, ""}:                                 {"acc_0002", "acc_0001"},
			{store.ColumnKYCStatus, string(payments.KYCStatusPending)}:  {"acc_0001"},
			{store.ColumnKYCStatus, string(payments.KYCStatusApproved)}: {"acc_0002"},
			{store.ColumnKYCStatus, string(payments.KYCStatusExpired)}:  {},
			{store.ColumnEmail, "ada@example.com"}:                      {"acc_0001"},
			{store.ColumnEmail, "eve@example.com"}:                      {},
			{store.ColumnEmail, "mallory@example.com"}:                  {},
		} {
			query := store.Query{Limit: 9}
			if where[1] != "" {
				query.Where = map[string]string{where[0]: where[1]}
			}
			rows, err := tx.Accounts().List(query)
			require.NoError(t, err)
			require.Equal(t, expected, ids(rows), where)
		}
		rows, err := tx.Transfers().List(store.Query{Limit: 9})
		require.NoError(t, err)
		require.Empty(t, rows)
	})
	require.Equal(t, []store.Job{job(time.Second, "first"), job(time.Second, "second")}, drain(t, s))
}

func errorRollsBack(t *testing.T, s store.Store) {
	furnish(t, s)
	refused := errors.New("refused")
	require.ErrorIs(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		unsettle(t, tx)
		return refused
	}), refused)
	requireFurnished(t, s)
}

func panicRollsBack(t *testing.T, s store.Store) {
	furnish(t, s)
	require.PanicsWithValue(t, "oh", func() {
		_ = s.Update(t.Context(), world, func(tx store.Tx) error {
			unsettle(t, tx)
			panic("oh")
		})
	})
	requireFurnished(t, s)
}

func jobKeepsItsPlace(t *testing.T, s store.Store) {
	furnish(t, s)
	_ = s.Update(t.Context(), world, func(tx store.Tx) error {
		require.NoError(t, tx.FinishJob())
		return errors.New("not yet")
	})
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Schedule(job(time.Second, "third"))) })
	require.Equal(t, []store.Job{job(time.Second, "first"), job(time.Second, "second"), job(time.Second, "third")}, drain(t, s))
}

func viewOnlyReads(t *testing.T, s store.Store) {
	furnish(t, s)
	for name, write := range map[string]func(store.Tx) error{
		"put": func(tx store.Tx) error {
			return tx.Accounts().Put(account(9, payments.KYCStatusPending, "x@example.com"))
		},
		"replace": func(tx store.Tx) error {
			return tx.Accounts().Put(account(1, payments.KYCStatusExpired, "x@example.com"))
		},
		"delete":   func(tx store.Tx) error { return tx.Accounts().Delete("acc_0001") },
		"schedule": func(tx store.Tx) error { return tx.Schedule(job(0, "never")) },
		"finish":   func(tx store.Tx) error { return tx.FinishJob() },
	} {
		err := s.View(t.Context(), world, write)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, store.ErrNotFound, name)
	}
	requireFurnished(t, s)
}

func viewIsConsistent(t *testing.T, s store.Store) {
	for revision := range 20 {
		put := func(tx store.Tx, number int) {
			a := account(number, payments.KYCStatusPending, "ada@example.com")
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
	furnish(t, s)
	for _, other := range []string{"client-2", "", "client-1 ", "CLIENT-1"} {
		require.NoError(t, s.View(t.Context(), other, func(tx store.Tx) error {
			_, err := tx.Accounts().Get("acc_0001")
			require.ErrorIs(t, err, store.ErrNotFound, other)
			rows, err := tx.Accounts().List(store.Query{Limit: 9})
			require.NoError(t, err)
			require.Empty(t, rows)
			_, err = tx.NextJob()
			require.ErrorIs(t, err, store.ErrNotFound)
			return nil
		}))
		require.NoError(t, s.Update(t.Context(), other, func(tx store.Tx) error {
			require.NoError(t, tx.Schedule(job(0, "theirs")))
			return tx.Accounts().Put(account(1, payments.KYCStatusRejected, "eve@example.com"))
		}))
	}
	requireFurnished(t, s)
}

func concurrentUpdates(t *testing.T, s store.Store) {
	const workers, rounds = 16, 25
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(0, payments.KYCStatusPending, "ada@example.com")))
	})
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
