package storetest

import (
	"context"
	"errors"
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
	w := &store.World{Instance: "wld_1", Life: 2, Generation: 3, At: epoch,
		Clock: store.Clock{Mode: payments.ClockModeScaled, Scale: 10, Shown: epoch, Since: epoch.Add(-time.Hour)}}
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Worlds().Put(w)) })
	view(t, s, func(tx store.Tx) { gotten(t, tx.Worlds(), w) })
}

// fill puts one record of each kind into a world, and jobs.
func fill(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
		require.NoError(t, tx.Transfers().Put(transfer(1, payments.TransferStateAwaitingFunds)))
		require.NoError(t, tx.Contacts().Put(&store.Contact{ID: "sct_1", At: epoch}))
		require.NoError(t, tx.Keys().Put(&store.Key{ID: "k", At: epoch}))
		require.NoError(t, tx.Clients().Put(&store.Client{ID: "c", At: epoch}))
		require.NoError(t, tx.Tokens().Put(&store.Token{Hash: "h", IssuedAt: epoch}))
		require.NoError(t, tx.Worlds().Put(&store.World{Instance: "wld_1", At: epoch}))
		require.NoError(t, tx.Schedule(job(2*time.Second, "b")))
		require.NoError(t, tx.Schedule(job(time.Second, "a")))
	})
}

// counts is how many records of each kind, and how many jobs, a world has.
func counts(t *testing.T, tx store.Tx) []int {
	all := []int{count(t, tx.Accounts()), count(t, tx.Transfers()), count(t, tx.Contacts()), count(t, tx.Keys()),
		count(t, tx.Clients()), count(t, tx.Tokens()), count(t, tx.Worlds())}
	jobs, err := tx.Jobs()
	require.NoError(t, err)
	return append(all, len(jobs))
}

func count[T any](t *testing.T, table store.Table[T]) int {
	rows, err := table.List(store.Query{Limit: 10})
	require.NoError(t, err)
	return len(rows)
}

var (
	filled  = []int{1, 1, 1, 1, 1, 1, 1, 2}
	nothing = []int{0, 0, 0, 0, 0, 0, 0, 0}
)

func clearRemoves(t *testing.T, s store.Store) {
	fill(t, s)
	require.NoError(t, s.Update(context.Background(), "client-2", func(tx store.Tx) error {
		return tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com"))
	}))
	update(t, s, func(tx store.Tx) {
		accounts := tx.Accounts()
		_, err := accounts.Get("acc_0001")
		require.NoError(t, err)
		require.NoError(t, tx.Clear())
		require.Equal(t, nothing, counts(t, tx))
		require.NoError(t, accounts.Put(account(1, payments.KYCStatusPending, "again@example.com"))) // the table goes on working
		require.NoError(t, accounts.Put(account(2, payments.KYCStatusPending, "bob@example.com")))
		require.NoError(t, tx.Schedule(job(time.Second, "new")))
	})
	view(t, s, func(tx store.Tx) {
		rows, err := tx.Accounts().List(store.Query{Limit: 10})
		require.NoError(t, err)
		require.Equal(t, []string{"acc_0002", "acc_0001"}, ids(rows))
		rows, err = tx.Accounts().List(store.Query{Limit: 10, Where: map[string]string{store.ColumnEmail: "ada@example.com"}})
		require.NoError(t, err)
		require.Empty(t, rows)
	})
	require.Equal(t, []store.Job{job(time.Second, "new")}, drain(t, s))
	require.NoError(t, s.View(context.Background(), "client-2", func(tx store.Tx) error {
		_, err := tx.Accounts().Get("acc_0001")
		return err
	}))
}

func clearRollsBack(t *testing.T, s store.Store) {
	fill(t, s)
	failed := errors.New("failed")
	require.ErrorIs(t, s.Update(context.Background(), world, func(tx store.Tx) error {
		require.NoError(t, tx.Accounts().Put(account(3, payments.KYCStatusPending, "eve@example.com")))
		require.NoError(t, tx.FinishJob())
		require.NoError(t, tx.Clear())
		require.NoError(t, tx.Accounts().Put(account(4, payments.KYCStatusPending, "eve@example.com")))
		require.NoError(t, tx.Schedule(job(0, "z")))
		return failed
	}), failed)
	view(t, s, func(tx store.Tx) {
		require.Equal(t, filled, counts(t, tx))
		rows, err := tx.Accounts().List(store.Query{Limit: 10, Where: map[string]string{store.ColumnEmail: "ada@example.com"}})
		require.NoError(t, err)
		require.Equal(t, []string{"acc_0001"}, ids(rows))
		require.Error(t, tx.Clear(), "a view cannot write")
	})
	require.Equal(t, []store.Job{job(time.Second, "a"), job(2*time.Second, "b")}, drain(t, s))
}

func jobsListed(t *testing.T, s store.Store) {
	added := []store.Job{job(2*time.Second, "b"), job(time.Second, "a1"), job(0, "z"), job(time.Second, "a2")}
	update(t, s, func(tx store.Tx) {
		for _, j := range added {
			require.NoError(t, tx.Schedule(j))
		}
	})
	view(t, s, func(tx store.Tx) {
		jobs, err := tx.Jobs()
		require.NoError(t, err)
		require.Equal(t, []store.Job{added[2], added[1], added[3], added[0]}, jobs)
	})
	require.Len(t, drain(t, s), 4, "looking takes nothing")
}
