package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

func listFilters(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		for i := range 9 {
			status := []payments.KYCStatus{payments.KYCStatusPending, payments.KYCStatusApproved, payments.KYCStatusRejected}[i%3]
			a := account(i, status, fmt.Sprintf("Ada%d@Example.com", i%2))
			a.ExternalID = []string{"", "x"}[i%2]
			require.NoError(t, tx.Accounts().Put(a))
		}
	})
	approved := string(payments.KYCStatusApproved)
	for name, test := range map[string]struct {
		query    store.Query
		expected []string
	}{
		"everything":        {store.Query{Limit: 100}, []string{"acc_0008", "acc_0007", "acc_0006", "acc_0005", "acc_0004", "acc_0003", "acc_0002", "acc_0001", "acc_0000"}},
		"the first two":     {store.Query{Limit: 2}, []string{"acc_0008", "acc_0007"}},
		"before a record":   {store.Query{Limit: 2, Before: "acc_0003"}, []string{"acc_0002", "acc_0001"}},
		"before none":       {store.Query{Limit: 2, Before: "acc_0003x"}, []string{"acc_0003", "acc_0002"}},
		"before the first":  {store.Query{Limit: 2, Before: "acc_0000"}, []string{}},
		"a column":          {store.Query{Limit: 9, Where: map[string]string{store.ColumnKYCStatus: approved}}, []string{"acc_0007", "acc_0004", "acc_0001"}},
		"two columns":       {store.Query{Limit: 9, Where: map[string]string{store.ColumnKYCStatus: approved, store.ColumnExternalID: "x"}}, []string{"acc_0007", "acc_0001"}},
		"in lower case":     {store.Query{Limit: 9, Where: map[string]string{store.ColumnEmail: "ada1@example.com"}}, []string{"acc_0007", "acc_0005", "acc_0003", "acc_0001"}},
		"a value of no row": {store.Query{Limit: 9, Where: map[string]string{store.ColumnEmail: "eve@example.com"}}, []string{}},
		"created after":     {store.Query{Limit: 9, CreatedAfter: epoch.Add(6 * time.Second)}, []string{"acc_0008", "acc_0007"}},
		"all at once": {store.Query{Limit: 1, Before: "acc_0007", CreatedAfter: epoch, Where: map[string]string{store.ColumnKYCStatus: approved}},
			[]string{"acc_0004"}},
	} {
		view(t, s, func(tx store.Tx) {
			rows, err := tx.Accounts().List(test.query)
			require.NoError(t, err, name)
			require.Equal(t, test.expected, ids(rows), name)
		})
	}
	view(t, s, func(tx store.Tx) {
		rows, err := tx.Transfers().List(store.Query{Limit: 1})
		require.NoError(t, err)
		require.Empty(t, rows)
	})
}

func listFollowsChanges(t *testing.T, s store.Store) {
	list := func(state payments.TransferState) []string {
		var found []string
		view(t, s, func(tx store.Tx) {
			rows, err := tx.Transfers().List(store.Query{Where: map[string]string{store.ColumnState: string(state)}, Limit: 9})
			require.NoError(t, err)
			found = ids(rows)
		})
		return found
	}
	put := func(records ...*store.Transfer) {
		update(t, s, func(tx store.Tx) {
			for _, record := range records {
				require.NoError(t, tx.Transfers().Put(record))
			}
		})
	}
	put(transfer(1, payments.TransferStateAwaitingFunds), transfer(2, payments.TransferStateAwaitingFunds))
	put(transfer(1, payments.TransferStateFailed))
	require.Equal(t, []string{"trf_0002"}, list(payments.TransferStateAwaitingFunds))
	require.Equal(t, []string{"trf_0001"}, list(payments.TransferStateFailed))
	put(transfer(1, payments.TransferStateAwaitingFunds))
	require.Equal(t, []string{"trf_0002", "trf_0001"}, list(payments.TransferStateAwaitingFunds))
	require.Empty(t, list(payments.TransferStateFailed))
}

func pagesStayWhole(t *testing.T, s store.Store) {
	const before = 50
	update(t, s, func(tx store.Tx) {
		for i := range before {
			require.NoError(t, tx.Accounts().Put(account(i, payments.KYCStatusPending, "ada@example.com")))
		}
	})
	var seen []string
	for cursor, added := "", before; ; added += 3 {
		var page []string
		view(t, s, func(tx store.Tx) {
			rows, err := tx.Accounts().List(store.Query{Before: cursor, Limit: 7})
			require.NoError(t, err)
			page = ids(rows)
		})
		if len(page) == 0 {
			break
		}
		seen, cursor = append(seen, page...), page[len(page)-1]
		update(t, s, func(tx store.Tx) {
			for i := range 3 {
				require.NoError(t, tx.Accounts().Put(account(added+i, payments.KYCStatusPending, "ada@example.com")))
			}
		})
	}
	require.Len(t, seen, before, "every record that was there at the beginning, once")
	for i, id := range seen {
		require.Equal(t, fmt.Sprintf("acc_%04d", before-1-i), id)
	}
}
