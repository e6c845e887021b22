package service_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

func summary(e payments.Event) happening {
	h := happening{Type: e.Type, Subject: e.SubjectID, At: e.OccurredAt, Reasons: e.Data.Reasons, Failure: e.Data.FailureReason, Label: e.Data.Label}
	if e.From != nil {
		h.From = *e.From
	}
	if e.To != nil {
		h.To = *e.To
	}
	if h.Label != "" { // contacts have no time of deletion to compare with
		h.At = time.Time{}
	}
	return h
}

func (w *world) events(t require.TestingT, filter payments.EventFilter) payments.EventPage {
	page, err := w.ListEvents(background, filter)
	require.NoError(t, err)
	require.NotNil(t, page.Data)
	return page
}

// The events of a world are what was written to it, in order, each once, in whatever pages they are read, while other
// things happen.
func TestEventsAreWhatHappened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		w.approved(t)
		var contacts, transfers []string
		var read []payments.Event
		cursor := ""
		page := func() int {
			got := w.events(t, payments.EventFilter{After: cursor, Limit: rapid.IntRange(1, 5).Draw(t, "limit")})
			require.NotEmpty(t, got.Cursor)
			read, cursor = append(read, got.Data...), got.Cursor
			return len(got.Data)
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0:
				w.open(t, "ada"+rapid.SampledFrom(kycTags).Draw(t, "tag")+"@example.com")
			case 1:
				request := contactTo(t, "base", "USDC", "Grace"+rapid.SampledFrom(transferTags).Draw(t, "label"))
				rows, err := w.ListAccounts(background, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
				require.NoError(t, err)
				request.AccountID = rows.Data[len(rows.Data)-1].ID
				contact, err := w.CreateSavedContact(background, request, once)
				require.NoError(t, err)
				contacts = append(contacts, contact.Value.ID)
			case 2, 3:
				if len(contacts) > 0 {
					contact := payments.SavedContact{ID: rapid.SampledFrom(contacts).Draw(t, "contact")}
					if transfer, err := w.CreateAutoTransfer(background, to(contact, achToBase, "50.00"), once); err == nil {
						transfers = append(transfers, transfer.Value.ID)
					}
				}
			case 4:
				if len(transfers) > 0 {
					_, _ = w.CancelTransfer(background, rapid.SampledFrom(transfers).Draw(t, "transfer"), once) // refused at times
				}
			case 5:
				if len(contacts) > 0 {
					_ = w.DeleteSavedContact(background, rapid.SampledFrom(contacts).Draw(t, "deleted")) // refused the second time
				}
			case 6:
				w.advance(t, time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms"))*time.Millisecond)
			case 7:
				page()
			}
		}
		for page() > 0 {
		}
		seen := *w.seen
		require.Len(t, read, len(seen))
		for i, e := range read {
			require.Equal(t, seen[i], summary(e), "event %d", i)
			if i > 0 {
				require.Greater(t, e.ID, read[i-1].ID, "identifiers sort as the events do")
			}
		}
		require.Equal(t, cursor, read[len(read)-1].ID)
		require.Equal(t, cursor, w.events(t, payments.EventFilter{After: payments.LatestEvent}).Cursor)
		from := rapid.IntRange(0, len(read)-1).Draw(t, "from")
		kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Collect(func(yield func(payments.EventType) bool) {
			for _, e := range read {
				if !yield(e.Type) {
					return
				}
			}
		})), 1, 1, rapid.ID).Draw(t, "types")
		filter := payments.EventFilter{SubjectID: rapid.SampledFrom(read).Draw(t, "about").SubjectID}
		requireFiltered(t, w, read, from, filter)
		filter.Types = kinds
		requireFiltered(t, w, read, from, filter)
		filter.SubjectID = ""
		requireFiltered(t, w, read, from, filter)
	})
}

// requireFiltered reads the feed from the middle, what a filter selects alone, page by page.
func requireFiltered(t require.TestingT, w *world, all []payments.Event, from int, filter payments.EventFilter) {
	var expected, read []payments.Event
	for _, e := range all[from+1:] {
		if filter.Matches(e) {
			expected = append(expected, e)
		}
	}
	filter.After, filter.Limit = all[from].ID, 2
	for {
		got := w.events(t, filter)
		read, filter.After = append(read, got.Data...), got.Cursor
		if len(got.Data) == 0 {
			break
		}
	}
	require.Equal(t, expected, read)
	require.Equal(t, all[len(all)-1].ID, filter.After, "what is passed over is passed")
}

func TestEventsOfATransfer(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.approved(t)
	contact := w.save(t, "base", "USDC", "Grace+transfer-returned")
	start := w.events(t, payments.EventFilter{After: payments.LatestEvent})
	require.Empty(t, start.Data)
	request := to(contact, achToBase, "50.00")
	request.Reference, request.BatchID, request.ExternalID = "invoice 1", "payroll", "x1"
	transfer := w.send(t, request)
	w.advance(t, time.Minute)
	events := w.events(t, payments.EventFilter{After: start.Cursor}).Data
	require.Len(t, events, 6)
	from := ""
	for i, e := range events {
		require.Equal(t, transfer.ID, e.SubjectID)
		require.Equal(t, w.clock.Now().Add(-time.Minute).Add(time.Duration(i)*settleDelay), e.OccurredAt, "at its own moment")
		require.Equal(t, i == 0, e.From == nil)
		require.Equal(t, from, summary(e).From)
		from = summary(e).To
		require.Equal(t, []string{account.ID, "invoice 1", "payroll", "x1"}, []string{e.Data.AccountID, e.Data.Reference, e.Data.BatchID, e.Data.ExternalID})
		require.Equal(t, "50.00", e.Data.Source.Amount.String())
		require.Equal(t, contact.ID, e.Data.DestinationSavedContactID)
		require.Equal(t, payments.TransferState(*e.To).Failed(), e.Data.ExpectedSettlementAt == nil, *e.To)
	}
	require.Equal(t, *transfer.ExpectedSettlementAt, *events[0].Data.ExpectedSettlementAt)
	require.Equal(t, payments.EventTypeTransferCreated, events[0].Type)
	require.Equal(t, "account_closed", events[4].Data.ReturnCode)
	require.Nil(t, events[4].Data.Refund.CompletedAt, "an event keeps its payload")
	require.NotNil(t, events[5].Data.Refund.CompletedAt)
}

func TestCursorsThatDoNotWork(t *testing.T) {
	t.Parallel()
	s := memory.New()
	w := newWorld(t, s, "client")
	w.open(t, "ada@example.com")
	events := w.events(t, payments.EventFilter{}).Data
	first, last := events[0].ID, events[len(events)-1].ID
	for _, bad := range []string{"x", "evt_", "evt_1", "acc" + last[3:], last + "0", last[:len(last)-1], "EVT" + last[3:],
		last[:len(last)-1] + "z", last[:len(last)-1] + "+", last[:len(last)-1] + "A", "LATEST"} {
		_, err := w.ListEvents(background, payments.EventFilter{After: bad})
		refusal := requireRefused(t, err, payments.ProblemValidation)
		require.Contains(t, refusal.Errors, "after", bad)
	}
	beyond := last[:len(last)-1] + "v"
	_, err := w.ListEvents(background, payments.EventFilter{After: beyond})
	requireRefused(t, err, payments.ProblemGone)

	enter := func(client, instance string) *world {
		require.NoError(t, s.Update(background, client, func(tx store.Tx) error {
			return tx.Worlds().Put(&store.World{Instance: instance, Clock: store.Clock{Shown: paytestStart}})
		}))
		return newWorld(t, s, client)
	}
	one := enter("one", "wld_1")
	one.open(t, "ada@example.com")
	_, err = one.ListEvents(background, payments.EventFilter{After: first})
	requireRefused(t, err, payments.ProblemGone)
	old := one.events(t, payments.EventFilter{}).Data[0].ID
	require.NoError(t, s.Update(background, "one", store.Tx.Clear))
	one = enter("one", "wld_2")
	one.open(t, "ada@example.com")
	_, err = one.ListEvents(background, payments.EventFilter{After: old})
	requireRefused(t, err, payments.ProblemGone)
	require.Len(t, one.events(t, payments.EventFilter{}).Data, 2)
}

func TestOldEventsAreForgotten(t *testing.T) {
	t.Parallel()
	s := memory.New()
	w := newWorld(t, s, "client")
	w.open(t, "ada@example.com")
	first := w.events(t, payments.EventFilter{}).Data[0].ID
	require.NoError(t, s.Update(background, "client", func(tx store.Tx) error {
		for range service.KeptEvents + 997 {
			if _, err := tx.Events().Append(&store.Event{Type: payments.EventTypeAccountCreated, Data: payments.EventData{}}); err != nil {
				return err
			}
		}
		return nil
	}))
	w.events(t, payments.EventFilter{After: first})
	w.open(t, "bob@example.com")
	_, err := w.ListEvents(background, payments.EventFilter{After: first})
	requireRefused(t, err, payments.ProblemGone)
	oldest := w.events(t, payments.EventFilter{Limit: 1})
	require.NoError(t, s.View(background, "client", func(tx store.Tx) error {
		extent, err := tx.Events().Extent()
		require.Equal(t, store.EventExtent{Pruned: 1000, Last: service.KeptEvents + 1001}, extent)
		return err
	}))
	require.Len(t, w.events(t, payments.EventFilter{After: oldest.Cursor, Limit: 1}).Data, 1)
}
