package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A modelWorld is a world that is simple enough to be obviously right.
type modelWorld struct {
	accounts  map[string]*store.Account
	jobs      []store.Job // in the order in which they were added
	transfers map[string]*store.Transfer
	keys      map[string]*store.Key
}

func (n modelWorld) clone() modelWorld {
	return modelWorld{maps.Clone(n.accounts), slices.Clone(n.jobs), maps.Clone(n.transfers), maps.Clone(n.keys)}
}

// listed are the identifiers of the records that a query selects.
func listed[T any, P store.Record[T]](records map[string]*T, q store.Query) []string {
	found := []string{}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(records))) {
		fits := q.Before == "" || id < q.Before
		for column, value := range q.Where {
			fits = fits && P(records[id]).Indexed(column) == value
		}
		if fits && len(found) < q.Limit {
			found = append(found, id)
		}
	}
	return found
}

// next is the place of the earliest job, the one added first among those of one moment; -1 when there is none.
func (n modelWorld) next() int {
	first := -1
	for i, j := range n.jobs {
		if first < 0 || j.At.Before(n.jobs[first].At) {
			first = i
		}
	}
	return first
}

// model runs random transactions, some of which fail, on a store and on the modelWorld world.
func model(t *testing.T, empty func() store.Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := empty()
		committed := modelWorld{
			accounts: map[string]*store.Account{}, transfers: map[string]*store.Transfer{}, keys: map[string]*store.Key{},
		}
		for range rapid.IntRange(1, 12).Draw(r, "transactions") {
			working := committed.clone()
			fails := rapid.Bool().Draw(r, "fails")
			updateOrFail(r, s, fails, func(tx store.Tx) {
				for range rapid.IntRange(0, 8).Draw(r, "steps") {
					working.step(r, tx)
				}
			})
			if !fails {
				committed = working
			}
			view(r, s, func(tx store.Tx) { committed.compare(r, tx) })
		}
	})
}

func (n *modelWorld) step(r *rapid.T, tx store.Tx) {
	number := rapid.IntRange(0, 5).Draw(r, "number")
	switch rapid.IntRange(0, 10).Draw(r, "step") {
	case 0, 1:
		a := account(number, rapid.SampledFrom([]payments.KYCStatus{pending, approved}).Draw(r, "status"),
			rapid.SampledFrom([]string{"ada@example.com", "Bob@example.com"}).Draw(r, "email"))
		a.ExternalID = rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "externalId")
		require.NoError(r, tx.Accounts().Put(a))
		n.accounts[a.ID] = a
	case 2:
		id := account(number, "", "").ID
		err := tx.Accounts().Delete(id)
		requireFound(r, n.accounts[id] != nil, err)
		delete(n.accounts, id)
	case 3:
		j := job(number/2, rapid.StringN(1, 3, -1).Draw(r, "subject"))
		require.NoError(r, tx.Schedule(j))
		n.jobs = append(n.jobs, j)
	case 4:
		i := n.next()
		requireFound(r, i >= 0, tx.FinishJob())
		if i >= 0 {
			n.jobs = slices.Delete(slices.Clone(n.jobs), i, i+1)
		}
	case 5:
		n.compare(r, tx)
	case 6:
		record := transfer(number, awaitingFunds)
		record.Reference = rapid.SampledFrom(references).Draw(r, "reference")
		if rapid.Bool().Draw(r, "settled") {
			record.State, record.Plan = payments.TransferStatePaymentProcessed, nil
		}
		require.NoError(r, tx.Transfers().Put(record))
		n.transfers[record.ID] = record
	case 7:
		id := transfer(number, awaitingFunds).ID
		requireFound(r, n.transfers[id] != nil, tx.Transfers().Delete(id))
		delete(n.transfers, id)
	case 8:
		n.compareTransfers(r, tx)
	case 9:
		key := &store.Key{ID: fmt.Sprint("createAccount ", number), Response: []byte(fmt.Sprintf(`{"id":"acc_%d"}`, len(n.jobs))), At: epoch}
		require.NoError(r, tx.Keys().Put(key))
		n.keys[key.ID] = key
	case 10:
		id := fmt.Sprint("createAccount ", number)
		requireFound(r, n.keys[id] != nil, tx.Keys().Delete(id))
		delete(n.keys, id)
	}
}

// references are those of the transfers of the model.
var references = []string{"", "invoice 1", "Invoice 1"}

func (n modelWorld) compareTransfers(r *rapid.T, tx store.Tx) {
	for _, reference := range references {
		least := ""
		for _, id := range slices.Sorted(maps.Keys(n.transfers)) {
			if reference != "" && least == "" && n.transfers[id].Reference == reference {
				least = id
			}
		}
		requireByReference(r, tx, reference, least)
	}
	for _, q := range []store.Query{
		{Limit: 10},
		{Limit: 2, Before: "trf_0003"},
		{Limit: 10, Where: where(store.ColumnState, payments.TransferStatePaymentProcessed)},
		{Limit: 10, Where: map[string]string{store.ColumnState: string(awaitingFunds), store.ColumnReference: references[1]}},
	} {
		requireRecords(r, tx.Transfers(), q, n.transfers)
	}
}

// requireRecords compares the records that a query selects with those that it should select.
func requireRecords[T any, P store.Record[T]](r *rapid.T, table store.Table[T], q store.Query, all map[string]*T) {
	for _, row := range requireListed[T, P](r, table, q, listed[T, P](all, q), "%+v", q) {
		require.Equal(r, all[P(row).RecordID()], row)
	}
}

func (n modelWorld) compare(r *rapid.T, tx store.Tx) {
	n.compareTransfers(r, tx)
	requireRecords(r, tx.Keys(), store.Query{Limit: 10}, n.keys)
	for _, q := range []store.Query{
		{Limit: 10},
		{Limit: 2, Before: "acc_0004"},
		{Limit: 10, Where: where(store.ColumnKYCStatus, approved)},
		{Limit: 10, Where: map[string]string{store.ColumnEmail: "bob@example.com", store.ColumnExternalID: "x"}},
		{Limit: 10, Where: where(store.ColumnExternalID, "y")},
	} {
		requireRecords(r, tx.Accounts(), q, n.accounts)
	}
	next, err := tx.NextJob()
	i := n.next()
	requireFound(r, i >= 0, err)
	if i >= 0 {
		require.Equal(r, n.jobs[i], next)
	}
}

// requireFound fails the test unless err says that something was found, or not.
func requireFound(t require.TestingT, found bool, err error) {
	if found {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, store.ErrNotFound)
	}
}
