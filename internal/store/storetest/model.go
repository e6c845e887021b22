package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// naive is a world so simple that it is right on sight.
type naive struct {
	accounts map[string]*store.Account
	jobs     []store.Job // in the order in which they were added
}

func (n naive) clone() naive { return naive{maps.Clone(n.accounts), slices.Clone(n.jobs)} }

func (n naive) list(q store.Query) []string {
	found := []string{}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(n.accounts))) {
		a := n.accounts[id]
		fits := q.Before == "" || id < q.Before
		for column, value := range q.Where {
			fits = fits && a.Indexed(column) == value
		}
		if fits && (q.CreatedAfter.IsZero() || a.CreatedAt.After(q.CreatedAfter)) && len(found) < q.Limit {
			found = append(found, id)
		}
	}
	return found
}

// next is the place of the earliest job, the one added first among those of one moment; -1 when there is none.
func (n naive) next() int {
	first := -1
	for i, j := range n.jobs {
		if first < 0 || j.At.Before(n.jobs[first].At) {
			first = i
		}
	}
	return first
}

// model runs random transactions, some of which fail, on a store and on the naive world.
func model(t *testing.T, open func(testing.TB) store.Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := open(t)
		defer func() { require.NoError(r, s.Close()) }()
		committed := naive{accounts: map[string]*store.Account{}}
		rolledBack := errors.New("rolled back")
		for range rapid.IntRange(1, 12).Draw(r, "transactions") {
			working := committed.clone()
			fails := rapid.Bool().Draw(r, "fails")
			err := s.Update(context.Background(), world, func(tx store.Tx) error {
				for range rapid.IntRange(0, 8).Draw(r, "steps") {
					working.step(r, tx)
				}
				if fails {
					return rolledBack
				}
				return nil
			})
			if fails {
				require.ErrorIs(r, err, rolledBack)
			} else {
				require.NoError(r, err)
				committed = working
			}
			require.NoError(r, s.View(context.Background(), world, func(tx store.Tx) error {
				committed.compare(r, tx)
				return nil
			}))
		}
	})
}

func (n *naive) step(r *rapid.T, tx store.Tx) {
	number := rapid.IntRange(0, 5).Draw(r, "number")
	switch rapid.IntRange(0, 5).Draw(r, "step") {
	case 0, 1:
		a := account(number, rapid.SampledFrom([]payments.KYCStatus{payments.KYCStatusPending, payments.KYCStatusApproved}).Draw(r, "status"),
			rapid.SampledFrom([]string{"ada@example.com", "Bob@example.com"}).Draw(r, "email"))
		a.ExternalID = rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "externalId")
		require.NoError(r, tx.Accounts().Put(a))
		n.accounts[a.ID] = a
	case 2:
		id := account(number, "", "").ID
		err := tx.Accounts().Delete(id)
		if n.accounts[id] == nil {
			require.ErrorIs(r, err, store.ErrNotFound)
		} else {
			require.NoError(r, err)
		}
		delete(n.accounts, id)
	case 3:
		j := job(time.Duration(number/2)*time.Second, rapid.StringN(1, 3, -1).Draw(r, "subject"))
		require.NoError(r, tx.Schedule(j))
		n.jobs = append(n.jobs, j)
	case 4:
		err := tx.FinishJob()
		if i := n.next(); i < 0 {
			require.ErrorIs(r, err, store.ErrNotFound)
		} else {
			require.NoError(r, err)
			n.jobs = slices.Delete(slices.Clone(n.jobs), i, i+1)
		}
	case 5:
		n.compare(r, tx)
	}
}

func (n naive) compare(r *rapid.T, tx store.Tx) {
	for _, q := range []store.Query{
		{Limit: 10},
		{Limit: 2, Before: "acc_0004"},
		{Limit: 10, Where: map[string]string{store.ColumnKYCStatus: string(payments.KYCStatusApproved)}},
		{Limit: 10, Where: map[string]string{store.ColumnEmail: "bob@example.com", store.ColumnExternalID: "x"}},
		{Limit: 10, Where: map[string]string{store.ColumnExternalID: "y"}, CreatedAfter: epoch.Add(2 * time.Second)},
	} {
		rows, err := tx.Accounts().List(q)
		require.NoError(r, err)
		require.Equal(r, n.list(q), ids(rows), "%+v", q)
		for _, row := range rows {
			same(r, n.accounts[row.ID], row)
		}
	}
	next, err := tx.NextJob()
	if i := n.next(); i < 0 {
		require.ErrorIs(r, err, store.ErrNotFound)
	} else {
		require.NoError(r, err)
		require.Equal(r, n.jobs[i], next)
	}
}
