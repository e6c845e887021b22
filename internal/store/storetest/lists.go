package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

func listFilters(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		for i := range 9 {
			status := []payments.KYCStatus{pending, approved, rejected}[i%3]
			a := account(i, status, fmt.Sprintf("Ada%d@Example.com", i%2))
			a.ExternalID = []string{"", "x"}[i%2]
			require.NoError(t, tx.Accounts().Put(a))
		}
	})
	both := map[string]string{store.ColumnKYCStatus: string(approved), store.ColumnExternalID: "x"}
	byEmail := where(store.ColumnEmail, "ada1@example.com")
	approvedOnly := where(store.ColumnKYCStatus, approved)
	for name, test := range map[string]struct {
		query    store.Query
		expected []string
	}{
		"everything":        {store.Query{Limit: 100}, accountIDs(8, 7, 6, 5, 4, 3, 2, 1, 0)},
		"the first two":     {store.Query{Limit: 2}, accountIDs(8, 7)},
		"before a record":   {store.Query{Limit: 2, Before: "acc_0003"}, accountIDs(2, 1)},
		"before none":       {store.Query{Limit: 2, Before: "acc_0003x"}, accountIDs(3, 2)},
		"before the first":  {store.Query{Limit: 2, Before: "acc_0000"}, []string{}},
		"a column":          {store.Query{Limit: 9, Where: approvedOnly}, accountIDs(7, 4, 1)},
		"two columns":       {store.Query{Limit: 9, Where: both}, accountIDs(7, 1)},
		"lower case":        {store.Query{Limit: 9, Where: byEmail}, accountIDs(7, 5, 3, 1)},
		"a value of no row": {store.Query{Limit: 9, Where: where(store.ColumnEmail, "eve@example.com")}, []string{}},
		"all together": {store.Query{Limit: 1, Before: "acc_0007", Where: approvedOnly},
			accountIDs(4)},
	} {
		view(t, s, func(tx store.Tx) { requireListed(t, tx.Accounts(), test.query, test.expected, name) })
	}
	view(t, s, func(tx store.Tx) { requireListed(t, tx.Transfers(), store.Query{Limit: 1}, []string{}) })
}

func listFiltersContacts(t *testing.T, s store.Store) {
	put := func(id, account, externalID, label string) {
		update(t, s, func(tx store.Tx) {
			saved := payments.NewSavedContact{AccountID: account, ExternalID: externalID, Label: label}
			require.NoError(t, tx.Contacts().Put(&store.Contact{NewSavedContact: saved, ID: id, At: epoch}))
		})
	}
	requireIDs := func(where map[string]string, expected ...string) {
		view(t, s, func(tx store.Tx) {
			query := store.Query{Where: where, Limit: 9}
			requireListed(t, tx.Contacts(), query, append([]string{}, expected...), "%v", where)
		})
	}
	put("sct_1", "acc_1", "x-1", "Ada")
	put("sct_2", "acc_2", "x-1", "Ada")
	put("sct_3", "acc_1", "", "ada")
	requireIDs(where(store.ColumnExternalID, "x-1"), "sct_2", "sct_1")
	requireIDs(where(store.ColumnLabel, "Ada"), "sct_2", "sct_1")
	requireIDs(where(store.ColumnLabel, "Ad"))
	requireIDs(map[string]string{store.ColumnLabel: "Ada", store.ColumnAccount: "acc_1"}, "sct_1")
	put("sct_2", "acc_2", "x-2", "Bea")
	requireIDs(where(store.ColumnExternalID, "x-1"), "sct_1")
	requireIDs(where(store.ColumnExternalID, "x-2"), "sct_2")
	requireIDs(where(store.ColumnLabel, "Bea"), "sct_2")
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Contacts().Delete("sct_1")) })
	requireIDs(where(store.ColumnLabel, "Ada"))
}

// requireByReference compares the identifier of the transfer with a reference; empty: there is none.
func requireByReference(t require.TestingT, tx store.Tx, reference, expected string) {
	found, err := tx.TransferByReference(reference)
	requireFound(t, expected != "", err)
	if expected != "" {
		require.Equal(t, expected, found.ID)
		require.Equal(t, reference, found.Reference)
	}
}

func transferByReference(t *testing.T, s store.Store) {
	put := func(tx store.Tx, number int, reference string) {
		record := transfer(number, awaitingFunds)
		record.Reference = reference
		require.NoError(t, tx.Transfers().Put(record))
	}
	update(t, s, func(tx store.Tx) {
		requireByReference(t, tx, "one", "")
		put(tx, 3, "one")
		requireByReference(t, tx, "one", "trf_0003")
		put(tx, 4, "one")
		put(tx, 5, "")
		put(tx, 6, "One")
		requireByReference(t, tx, "one", "trf_0003")
		requireByReference(t, tx, "One", "trf_0006")
		requireByReference(t, tx, "", "")
	})
	update(t, s, func(tx store.Tx) {
		requireByReference(t, tx, "one", "trf_0003")
		put(tx, 2, "one")
		requireByReference(t, tx, "one", "trf_0002")
		require.NoError(t, tx.Transfers().Delete("trf_0002"))
		requireByReference(t, tx, "one", "trf_0003")
		put(tx, 3, "other")
		requireByReference(t, tx, "one", "trf_0004")
		requireByReference(t, tx, "other", "trf_0003")
	})
	updateOrFail(t, s, true, func(tx store.Tx) {
		put(tx, 1, "one")
		require.NoError(t, tx.Transfers().Delete("trf_0004"))
		requireByReference(t, tx, "one", "trf_0001")
	})
	view(t, s, func(tx store.Tx) {
		requireByReference(t, tx, "one", "trf_0004")
		requireByReference(t, tx, "two", "")
	})
	require.NoError(t, s.View(t.Context(), "another client", func(tx store.Tx) error {
		requireByReference(t, tx, "one", "")
		return nil
	}))
	replace(t, s, false, func(tx store.Tx) { requireByReference(t, tx, "one", "") })
}

func listFollowsChanges(t *testing.T, s store.Store) {
	requireInState := func(state payments.TransferState, expected ...string) {
		view(t, s, func(tx store.Tx) {
			query := store.Query{Where: where(store.ColumnState, state), Limit: 9}
			requireListed(t, tx.Transfers(), query, append([]string{}, expected...))
		})
	}
	put := func(records ...*store.Transfer) {
		update(t, s, func(tx store.Tx) {
			for _, record := range records {
				require.NoError(t, tx.Transfers().Put(record))
			}
		})
	}
	put(transfer(1, awaitingFunds), transfer(2, awaitingFunds))
	put(transfer(1, payments.TransferStateFailed))
	requireInState(awaitingFunds, "trf_0002")
	requireInState(payments.TransferStateFailed, "trf_0001")
	put(transfer(1, awaitingFunds))
	requireInState(awaitingFunds, "trf_0002", "trf_0001")
	requireInState(payments.TransferStateFailed)
}

func pagesStayWhole(t *testing.T, s store.Store) {
	const before = 50
	update(t, s, func(tx store.Tx) {
		for i := range before {
			putAccount(t, tx, i, pending, "ada@example.com")
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
				putAccount(t, tx, added+i, pending, "ada@example.com")
			}
		})
	}
	require.Len(t, seen, before, "every record that was there at the beginning, once")
	for i, id := range seen {
		require.Equal(t, fmt.Sprintf("acc_%04d", before-1-i), id)
	}
}
