package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// subjects is how many subjects the events are about, in turn.
const subjects = 3

func subject(number int) string { return fmt.Sprintf("trf_%04d", number%subjects) }

func event(number int, kind payments.EventType) *store.Event {
	return &store.Event{
		Type: kind, At: epoch.Add(time.Duration(number) * time.Millisecond), SubjectID: subject(number),
		From: "awaiting_funds", To: "failed",
		Data: payments.EventData{
			AccountID: "acc_0001", Reasons: []payments.KYCReason{{Code: "duplicate", Message: "There is one."}},
			Source:        &payments.TransferSide{Currency: "USD", Amount: new(payments.MustDecimal("12.50"))},
			FailureReason: "provider_declined",
		},
	}
}

// places lists where events stand in the log.
func places(events []*store.Event) []uint64 {
	list := make([]uint64, len(events))
	for i, e := range events {
		list[i] = e.Seq
	}
	return list
}

func eventsAfter(t require.TestingT, tx store.Tx, q store.EventQuery) []*store.Event {
	found, err := tx.Events().After(q)
	require.NoError(t, err)
	return found
}

func requireExtent(t require.TestingT, tx store.Tx, expected store.EventExtent) {
	extent, err := tx.Events().Extent()
	require.NoError(t, err)
	require.Equal(t, expected, extent)
}

func appendEvents(t require.TestingT, tx store.Tx, first uint64, kinds ...payments.EventType) {
	for i, kind := range kinds {
		seq, err := tx.Events().Append(event(int(first)+i, kind))
		require.NoError(t, err)
		require.Equal(t, first+uint64(i), seq)
	}
}

func eventsInOrder(t *testing.T, s store.Store) {
	view(t, s, func(tx store.Tx) {
		requireExtent(t, tx, store.EventExtent{})
		require.Empty(t, eventsAfter(t, tx, store.EventQuery{Limit: 9}))
	})
	const created, changed = payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged
	const deleted = payments.EventTypeContactDeleted
	types := func(list ...payments.EventType) []payments.EventType { return list }
	update(t, s, func(tx store.Tx) { appendEvents(t, tx, 1, created, changed, changed) })
	update(t, s, func(tx store.Tx) {
		appendEvents(t, tx, 4, created, changed)
		require.Len(t, eventsAfter(t, tx, store.EventQuery{Limit: 9}), 5, "a transaction sees what it appended")
	})
	for name, test := range map[string]struct {
		query    store.EventQuery
		expected []uint64
	}{
		"all":                 {store.EventQuery{Limit: 9}, []uint64{1, 2, 3, 4, 5}},
		"the first two":       {store.EventQuery{Limit: 2}, []uint64{1, 2}},
		"after a place":       {store.EventQuery{After: 2, Limit: 2}, []uint64{3, 4}},
		"after the last":      {store.EventQuery{After: 5, Limit: 2}, []uint64{}},
		"beyond the last":     {store.EventQuery{After: 50, Limit: 2}, []uint64{}},
		"of a type":           {store.EventQuery{Types: types(created), Limit: 9}, []uint64{1, 4}},
		"of two types":        {store.EventQuery{Types: types(changed, created), Limit: 9}, []uint64{1, 2, 3, 4, 5}},
		"of a type, limited":  {store.EventQuery{After: 1, Types: types(changed), Limit: 2}, []uint64{2, 3}},
		"about a subject":     {store.EventQuery{Subject: subject(1), Limit: 9}, []uint64{1, 4}},
		"later about it":      {store.EventQuery{After: 1, Subject: subject(1), Limit: 9}, []uint64{4}},
		"first about it":      {store.EventQuery{Subject: subject(2), Limit: 1}, []uint64{2}},
		"a type about it":     {store.EventQuery{Types: types(changed), Subject: subject(1), Limit: 9}, []uint64{}},
		"about no subject":    {store.EventQuery{Subject: "trf_none", Limit: 9}, []uint64{}},
		"of a type of no one": {store.EventQuery{Types: types(deleted), Limit: 9}, []uint64{}},
	} {
		view(t, s, func(tx store.Tx) { require.Equal(t, test.expected, places(eventsAfter(t, tx, test.query)), name) })
	}
	view(t, s, func(tx store.Tx) {
		expected := event(2, changed)
		expected.Seq = 2
		require.Equal(t, expected, eventsAfter(t, tx, store.EventQuery{After: 1, Limit: 1})[0])
		_, err := tx.Events().Append(event(6, changed))
		require.Error(t, err, "a view cannot append")
		require.Error(t, tx.Events().Prune(1))
		requireExtent(t, tx, store.EventExtent{Last: 5})
	})
}

// eventsTogether appends many events at once, forgets some, and asks for any part of the rest.
func eventsTogether(t *testing.T, s store.Store) {
	const many = 200
	kinds := []payments.EventType{"transfer.created", "transfer.stateChanged", "contact.created"}
	var all []payments.EventType
	update(t, s, func(tx store.Tx) {
		for i := range many {
			all = append(all, kinds[i*i%7%len(kinds)])
		}
		appendEvents(t, tx, 1, all...)
	})
	for pruned := uint64(0); pruned < many; pruned += 77 {
		update(t, s, func(tx store.Tx) { require.NoError(t, tx.Events().Prune(pruned)) })
		rapid.Check(t, func(r *rapid.T) {
			query := store.EventQuery{
				After: rapid.Uint64Range(0, many+1).Draw(r, "after"),
				Limit: rapid.IntRange(0, many).Draw(r, "limit"),
				Types: rapid.SliceOfDistinct(rapid.SampledFrom(kinds), rapid.ID).Draw(r, "types"),
			}
			if rapid.Bool().Draw(r, "about a subject") {
				query.Subject = subject(rapid.IntRange(0, subjects).Draw(r, "subject"))
			}
			expected := []uint64{}
			for seq := max(query.After, pruned) + 1; seq <= many && len(expected) < query.Limit; seq++ {
				if (len(query.Types) == 0 || slices.Contains(query.Types, all[seq-1])) &&
					(query.Subject == "" || query.Subject == subject(int(seq))) {
					expected = append(expected, seq)
				}
			}
			view(r, s, func(tx store.Tx) {
				found := eventsAfter(r, tx, query)
				require.Equal(r, expected, places(found))
				for _, e := range found {
					require.Equal(r, all[e.Seq-1], e.Type)
				}
			})
		})
	}
}

func eventsArePruned(t *testing.T, s store.Store) {
	kind := payments.EventTypeAccountCreated
	update(t, s, func(tx store.Tx) {
		appendEvents(t, tx, 1, kind, kind, kind, kind)
		require.NoError(t, tx.Events().Prune(2))
	})
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Events().Prune(1), "once more does nothing") })
	view(t, s, func(tx store.Tx) {
		requireExtent(t, tx, store.EventExtent{Pruned: 2, Last: 4})
		require.Equal(t, []uint64{3, 4}, places(eventsAfter(t, tx, store.EventQuery{Limit: 9})))
		require.Equal(t, []uint64{4}, places(eventsAfter(t, tx, store.EventQuery{Subject: subject(1), Limit: 9})))
		require.Empty(t, eventsAfter(t, tx, store.EventQuery{Subject: subject(2), Limit: 9}))
	})
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Events().Prune(4))
		appendEvents(t, tx, 5, kind)
	})
	view(t, s, func(tx store.Tx) { requireExtent(t, tx, store.EventExtent{Pruned: 4, Last: 5}) })
	require.NoError(t, s.View(t.Context(), "client-2", func(tx store.Tx) error {
		requireExtent(t, tx, store.EventExtent{})
		require.Empty(t, eventsAfter(t, tx, store.EventQuery{Subject: subject(1), Limit: 9}))
		return nil
	}), "worlds do not meet")
}

// eventsRollBack runs random transactions, some of which fail, on a store and on a slice.
func eventsRollBack(t *testing.T, empty func() store.Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := empty()
		var committed store.EventExtent
		for range rapid.IntRange(1, 8).Draw(r, "transactions") {
			working := committed
			fails := rapid.Bool().Draw(r, "fails")
			if rapid.IntRange(0, 3).Draw(r, "kind") == 0 {
				replace(r, s, fails, func(tx store.Tx) { requireExtent(r, tx, store.EventExtent{}) })
				if !fails {
					committed = store.EventExtent{}
				}
				continue
			}
			updateOrFail(r, s, fails, func(tx store.Tx) {
				for range rapid.IntRange(0, 6).Draw(r, "steps") {
					switch rapid.IntRange(0, 9).Draw(r, "step") {
					default:
						appendEvents(r, tx, working.Last+1, payments.EventTypeTransferStateChanged)
						working.Last++
					case 0, 1:
						through := rapid.Uint64Range(0, working.Last).Draw(r, "through")
						require.NoError(r, tx.Events().Prune(through))
						working.Pruned = max(working.Pruned, through)
					}
				}
				requireExtent(r, tx, working)
			})
			if !fails {
				committed = working
			}
			view(r, s, func(tx store.Tx) {
				requireExtent(r, tx, committed)
				expected := []uint64{}
				for seq := committed.Pruned + 1; seq <= committed.Last; seq++ {
					expected = append(expected, seq)
				}
				require.Equal(r, expected, places(eventsAfter(r, tx, store.EventQuery{Limit: 1000})))
				for i := range subjects {
					query := store.EventQuery{Subject: subject(i), Limit: 1000}
					about := slices.DeleteFunc(slices.Clone(expected), func(seq uint64) bool {
						return subject(int(seq)) != query.Subject
					})
					require.Equal(r, about, places(eventsAfter(r, tx, query)), "about %s", query.Subject)
				}
			})
		}
	})
}
