package server_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
)

// corrupted is a world whose responses fit their schemas but violate invariants.
type corrupted struct {
	server.World
	transfer func(*payments.Transfer)
	events   func([]payments.Event)
}

func (s corrupted) GetTransfer(ctx context.Context, id string, condition payments.ReadOptions) (payments.ReadResult[payments.Transfer], error) {
	reading, err := s.World.GetTransfer(ctx, id, condition)
	s.transfer(&reading.Value)
	return reading, err
}

func (s corrupted) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	page, err := s.World.ListEvents(ctx, filter)
	s.events(page.Data)
	return page, err
}

func TestCheckKnowsTheInvariants(t *testing.T) {
	t.Parallel()
	x := newTarget(t, refserver.Config{})
	id := x.transfer(t)
	require.NoError(t, x.world(t).Advance(t.Context(), time.Minute)) // the deposit arrives
	ok := corrupted{x.world(t), func(*payments.Transfer) {}, func([]payments.Event) {}}
	ask := func(service corrupted, path, accept string) []string {
		responses := &recorded{}
		handler := server.New(server.Config{Identity: wrongIdentity{world: service}, Check: true, OnResponse: responses.record})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // streams end with their client
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
		r.Header.Set("Authorization", "Bearer x")
		r.Header.Set("Accept", accept)
		handler.ServeHTTP(httptest.NewRecorder(), r)
		var found []string
		for _, violation := range responses.all[0].Violations {
			found = append(found, violation.Pointer+" "+violation.Reason)
		}
		return found
	}
	one, two := payments.MustDecimal("1"), payments.MustDecimal("2")
	for name, test := range map[string]struct {
		corrupt func(*payments.Transfer)
		reason  string // empty: it is true
	}{
		"nothing":            {func(*payments.Transfer) {}, ""},
		"money that is gone": {func(t *payments.Transfer) { t.Source.Amount = &two }, "source-side fees"},
		"money from nowhere": {func(t *payments.Transfer) { t.Destination.Amount = &one }, "destination-side fees"},
		"another rate":       {func(t *payments.Transfer) { t.ExchangeRate = two }, "at its rate"},
		"no source":          {func(t *payments.Transfer) { t.Source.Amount = nil }, "no source amount"},
		"no residue":         {func(t *payments.Transfer) { t.RoundingResidue = nil }, "not all of the others"},
	} {
		service := ok
		service.transfer = test.corrupt
		found := ask(service, "/transfers/"+id+"/v1", "")
		if test.reason == "" {
			require.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		require.Contains(t, found[0], "/body ", name)
		require.Contains(t, found[0], test.reason, name)
	}
	for name, test := range map[string]struct {
		corrupt func([]payments.Event)
		reason  string
	}{
		"nothing":      {func([]payments.Event) {}, ""},
		"out of order": {func(e []payments.Event) { e[1].ID = e[0].ID }, "came before it"},
		"no such step": {func(e []payments.Event) {
			for i := range e {
				if e[i].Type == payments.EventTypeTransferStateChanged {
					e[i].From, e[i].To = new("refunded"), new("awaiting_funds")
					return
				}
			}
			panic("no transfer changed")
		}, `from "refunded" to "awaiting_funds"`},
		"an account of a state": {func(e []payments.Event) { e[0].To = new("approved") }, "account.created"},
	} {
		service := ok
		service.events = func(e []payments.Event) {
			if len(e) > 0 {
				test.corrupt(e)
			}
		}
		for _, accept := range []string{"application/json", "text/event-stream"} {
			found := ask(service, "/events/v1?limit=100", accept)
			if test.reason == "" {
				require.Empty(t, found, name)
				continue
			}
			require.NotEmpty(t, found, "%s %s", name, accept)
			require.Contains(t, found[0], test.reason, "%s %s", name, accept)
		}
	}
}
