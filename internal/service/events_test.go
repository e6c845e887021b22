package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

func summary(e payments.Event) happening {
	h := happening{
		Type: e.Type, Subject: e.SubjectID, At: e.OccurredAt, Reasons: e.Data.Reasons, Failure: e.Data.FailureReason,
		Label: e.Data.Label,
	}
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
	page := must(w.ListEvents(background, filter))
	require.NotNil(t, page.Data)
	return page
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
	transfer := w.send(request)
	w.advance(t, time.Minute)
	events := w.events(t, payments.EventFilter{After: start.Cursor}).Data
	require.Len(t, events, 6)
	from := ""
	for i, e := range events {
		require.Equal(t, transfer.ID, e.SubjectID)
		require.Equal(t, w.clock.Now().Add(-time.Minute).Add(time.Duration(i)*settleDelay), e.OccurredAt, "at its own time")
		require.Equal(t, i == 0, e.From == nil)
		require.Equal(t, from, summary(e).From)
		from = summary(e).To
		require.Equal(t, []string{account.ID, "invoice 1", "payroll", "x1"},
			[]string{e.Data.AccountID, e.Data.Reference, e.Data.BatchID, e.Data.ExternalID})
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
	w.open("ada@example.com")
	events := w.events(t, payments.EventFilter{}).Data
	first, last := events[0].ID, events[len(events)-1].ID
	for _, bad := range []string{"x", "evt_", "evt_1", "acc" + last[3:], last + "0", last[:len(last)-1], "EVT" + last[3:],
		last[:len(last)-1] + "z", last[:len(last)-1] + "+", last[:len(last)-1] + "A", "LATEST"} {
		_, err := w.ListEvents(background, payments.EventFilter{After: bad})
		refusal := requireRefused(t, err, payments.ProblemValidation)
		require.Contains(t, refusal.Errors, "after", bad)
	}
	beyond := last[:len(last)-1] + "v"
	requireRefused(t, errOf(w.ListEvents(background, payments.EventFilter{After: beyond})), payments.ProblemGone)

	require.NoError(t, s.Update(background, "one", func(tx store.Tx) error {
		return tx.Worlds().Put(&store.World{Instance: "wld_1", Clock: store.Clock{Shown: paytestStart}})
	}))
	one := newWorld(t, s, "one")
	one.open("ada@example.com")
	requireRefused(t, errOf(one.ListEvents(background, payments.EventFilter{After: first})), payments.ProblemGone)
}

func TestOldEventsAreForgotten(t *testing.T) {
	t.Parallel()
	s := memory.New()
	w := newWorld(t, s, "client")
	w.open("ada@example.com")
	first := w.events(t, payments.EventFilter{}).Data[0].ID
	require.NoError(t, s.Update(background, "client", func(tx store.Tx) error {
		for range service.KeptEvents + 997 {
			must(tx.Events().Append(&store.Event{Type: payments.EventTypeAccountCreated}))
		}
		return nil
	}))
	w.events(t, payments.EventFilter{After: first})
	w.open("bob@example.com")
	requireRefused(t, errOf(w.ListEvents(background, payments.EventFilter{After: first})), payments.ProblemGone)
	oldest := w.events(t, payments.EventFilter{Limit: 1})
	require.NoError(t, s.View(background, "client", func(tx store.Tx) error {
		require.Equal(t, store.EventExtent{Pruned: 1000, Last: service.KeptEvents + 1001}, must(tx.Events().Extent()))
		return nil
	}))
	require.Len(t, w.events(t, payments.EventFilter{After: oldest.Cursor, Limit: 1}).Data, 1)
}
