package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A modelWorld is a world that is simple enough to be obviously right.
type modelWorld struct {
	accounts  map[string]*store.Account
	transfers map[string]*store.Transfer
	events    []*store.Event // all of the instance
	pruned    int            // how many of them are gone
}

func (m modelWorld) clone() modelWorld {
	return modelWorld{maps.Clone(m.accounts), maps.Clone(m.transfers), slices.Clone(m.events), m.pruned}
}

func emptyModel() modelWorld {
	return modelWorld{
		accounts: map[string]*store.Account{}, transfers: map[string]*store.Transfer{},
	}
}

// behavesAsModel runs random transactions on worlds of a store and on models of them. Some transactions fail.
func behavesAsModel(t *testing.T, s store.Store) {
	worlds := 0
	rapid.Check(t, func(r *rapid.T) {
		worlds++
		name := fmt.Sprint("model ", worlds)
		committed := emptyModel()
		for range rapid.IntRange(1, 10).Draw(r, "transactions") {
			working := committed.clone()
			fails := rapid.Bool().Draw(r, "fails")
			update(r, s, name, fails, func(tx store.Tx) {
				for range rapid.IntRange(0, 8).Draw(r, "steps") {
					working.step(r, tx)
				}
			})
			if !fails {
				committed = working
			}
			view(r, s, name, func(tx store.Tx) { committed.compare(r, tx) })
		}
	})
}

var (
	references = []string{"", "invoice 1", "Invoice 1"}
	subjects   = []string{"trf_1", "trf_2", "acc_1"}
	eventTypes = []payments.EventType{
		payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged, payments.EventTypeAccountCreated,
	}
)

// drawTime draws when a record is due. Zero means never.
func drawTime(r *rapid.T) time.Time {
	if seconds := rapid.IntRange(0, 3).Draw(r, "due"); seconds > 0 {
		return epoch.Add(time.Duration(seconds) * time.Second)
	}
	return time.Time{}
}

// step makes a random change to a world and to its model.
func (m *modelWorld) step(r *rapid.T, tx store.Tx) {
	number := rapid.IntRange(0, 5).Draw(r, "number")
	switch rapid.IntRange(0, 8).Draw(r, "step") {
	case 0, 1:
		a := account(number, rapid.SampledFrom([]payments.KYCStatus{"pending", "approved"}).Draw(r, "status"),
			rapid.SampledFrom([]string{"ada@example.com", "Bob@example.com"}).Draw(r, "email"))
		a.StepAt = drawTime(r)
		a.ExternalID = rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "externalId")
		require.NoError(r, tx.Accounts().Put(a))
		m.accounts[a.ID] = a
	case 2:
		id := account(number, "", "").ID
		requireFound(r, m.accounts[id] != nil, tx.Accounts().Delete(id))
		delete(m.accounts, id)
	case 3, 4:
		record := transfer(number, rapid.SampledFrom([]payments.TransferState{"failed", "refunded"}).Draw(r, "state"),
			rapid.SampledFrom(references).Draw(r, "reference"))
		record.StepAt = drawTime(r)
		require.NoError(r, tx.Transfers().Put(record))
		m.transfers[record.ID] = record
	case 5:
		id := transfer(number, "", "").ID
		requireFound(r, m.transfers[id] != nil, tx.Transfers().Delete(id))
		delete(m.transfers, id)
	case 6:
		happened := event(number, rapid.SampledFrom(eventTypes).Draw(r, "type"),
			rapid.SampledFrom(subjects).Draw(r, "subject"))
		seq, err := tx.Events().Append(happened)
		require.NoError(r, err)
		m.events = append(m.events, happened)
		require.EqualValues(r, len(m.events), seq)
	case 7:
		through := rapid.IntRange(0, len(m.events)+1).Draw(r, "through")
		require.NoError(r, tx.Events().Prune(uint64(through)))
		m.pruned = max(m.pruned, min(through, len(m.events)-1))
	case 8:
		if number == 0 {
			require.NoError(r, tx.Clear())
			*m = emptyModel()
		} else {
			m.compare(r, tx)
		}
	}
}

// compare compares a world with its model.
func (m *modelWorld) compare(r *rapid.T, tx store.Tx) {
	q := store.Query{Limit: rapid.IntRange(0, 6).Draw(r, "limit"), Ascending: rapid.Bool().Draw(r, "ascending")}
	switch rapid.IntRange(0, 2).Draw(r, "filter") {
	case 1:
		q.Where = map[string]string{store.ColumnKYCStatus: "approved", store.ColumnExternalID: "x"}
	case 2:
		q.Where = map[string]string{store.ColumnEmail: "bob@example.com"} // Bob@example.com is indexed in lower case
	}
	q.Before = rapid.SampledFrom([]string{"", "acc_0004", "acc_0003x"}).Draw(r, "before")
	q.After = rapid.SampledFrom([]string{"", "acc_0001", "acc_0000x"}).Draw(r, "after")
	requireSelected(r, tx.Accounts(), q, m.accounts)
	requireSelected(r, tx.Transfers(), store.Query{Limit: 9, Where: map[string]string{store.ColumnState: "failed"}},
		m.transfers)
	for _, reference := range references {
		q := store.Query{Limit: 1, Ascending: true, Where: map[string]string{store.ColumnReference: reference}}
		expected := selected(q, m.transfers)
		found, err := tx.TransferByReference(reference)
		requireFound(r, reference != "" && len(expected) > 0, err)
		if err == nil {
			require.Equal(r, expected[0], found.ID)
		}
	}
	m.compareDue(r, tx)
	m.compareEvents(r, tx)
}

func (m *modelWorld) compareDue(r *rapid.T, tx store.Tx) {
	var expected store.Document
	consider := func(d store.Document) {
		at := d.DueAt()
		if !at.IsZero() && (expected == nil || at.Before(expected.DueAt()) ||
			at.Equal(expected.DueAt()) && d.DocumentID() < expected.DocumentID()) {
			expected = d
		}
	}
	for _, a := range m.accounts {
		consider(a)
	}
	for _, t := range m.transfers {
		consider(t)
	}
	found, err := tx.NextDue()
	requireFound(r, expected != nil, err)
	require.Equal(r, expected, found)
}

func (m *modelWorld) compareEvents(r *rapid.T, tx store.Tx) {
	extent, err := tx.Events().Extent()
	require.NoError(r, err)
	require.Equal(r, store.EventExtent{Pruned: uint64(max(m.pruned, 0)), Last: uint64(len(m.events))}, extent)
	q := store.EventQuery{
		After: rapid.Uint64Range(0, uint64(len(m.events)+1)).Draw(r, "after"),
		Limit: rapid.IntRange(0, 5).Draw(r, "events"),
		Types: rapid.SliceOfDistinct(rapid.SampledFrom(eventTypes), rapid.ID).Draw(r, "types"),
	}
	if rapid.Bool().Draw(r, "about a subject") {
		q.Subject = rapid.SampledFrom(subjects).Draw(r, "subject")
	}
	expected := []*store.Event{}
	for _, e := range m.events {
		if e.Seq > q.After && e.Seq > extent.Pruned && len(expected) < q.Limit &&
			(len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) && (q.Subject == "" || q.Subject == e.SubjectID) {
			expected = append(expected, e)
		}
	}
	found, err := tx.Events().After(q)
	require.NoError(r, err)
	require.Equal(r, expected, append([]*store.Event{}, found...))
}

// selected returns the identifiers of the records that a query selects.
func selected[T any, P record[T]](q store.Query, records map[string]*T) []string {
	found := []string{}
	for id, record := range records {
		fits := (q.Before == "" || id < q.Before) && id > q.After
		for column, value := range q.Where {
			fits = fits && P(record).Indexed(column) == value
		}
		if fits {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	if !q.Ascending {
		slices.Reverse(found)
	}
	return found[:min(len(found), q.Limit)]
}

// requireSelected compares the records that a query selects with those that it should select.
func requireSelected[T any, P record[T]](r *rapid.T, table store.Table[T], q store.Query, records map[string]*T) {
	expected := []*T{}
	for _, id := range selected[T, P](q, records) {
		expected = append(expected, records[id])
	}
	found, err := table.List(q)
	require.NoError(r, err)
	require.Equal(r, expected, found, "%+v", q)
}

// requireFound requires that err is nil if something was found, and store.ErrNotFound if not.
func requireFound(t require.TestingT, found bool, err error) {
	if found {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, store.ErrNotFound)
	}
}
