package service_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// all reads every page of a list of transfers and returns the identifiers, and how many pages there were.
func (w *world) all(t require.TestingT, filter payments.TransferFilter) (ids []string, pages int) {
	for {
		page, err := w.ListTransfers(background, filter)
		require.NoError(t, err)
		require.NotNil(t, page.Data)
		pages++
		for _, transfer := range page.Data {
			ids = append(ids, transfer.ID)
		}
		if page.NextCursor == nil {
			return ids, pages
		}
		filter.Cursor = *page.NextCursor
	}
}

// A list has what its filter matches, each once, newest first, whatever the filters and the size of pages.
func TestListsHaveWhatTheirFilterMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		var accounts, contacts []string
		for range 2 {
			account := w.open(t, "ada@example.com")
			accounts = append(accounts, account.ID)
			w.advance(t, kycDelay)
			for range 2 {
				contact := contactTo(t, "sepa", "EUR", "Grace")
				contact.AccountID = account.ID
				saved, err := w.CreateSavedContact(background, contact, once)
				require.NoError(t, err)
				contacts = append(contacts, saved.Value.ID)
			}
		}
		routes := []string{"wire:USD->sepa:EUR", "base:USDC->sepa:EUR"}
		var transfers []payments.Transfer
		for range rapid.IntRange(0, 25).Draw(t, "transfers") {
			request := payments.NewAutoTransfer{
				DestinationSavedContactID: rapid.SampledFrom(contacts).Draw(t, "to"),
				Route:                     payments.RouteChoice{RouteKey: rapid.SampledFrom(routes).Draw(t, "over")},
				BatchID:                   rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "in"),
			}
			transfers = append(transfers, w.send(t, request))
			if rapid.Bool().Draw(t, "cancel") {
				_, err := w.CancelTransfer(background, transfers[len(transfers)-1].ID, once)
				require.NoError(t, err)
			}
			w.advance(t, time.Duration(rapid.IntRange(0, 2).Draw(t, "pause"))*time.Millisecond)
		}
		w.advance(t, settleDelay)

		moment := rapid.SampledFrom([]time.Time{{}, w.clock.Now().Add(-settleDelay), w.clock.Now().Add(-settleDelay - 5*time.Millisecond)})
		optional := func(values []string) *rapid.Generator[string] { return rapid.SampledFrom(append(values, "", "")) }
		states := []payments.TransferState{"awaiting_funds", "canceled", "funds_received", "in_review", "payment_submitted"}
		filter := payments.TransferFilter{
			PageQuery: payments.PageQuery{
				Limit:        rapid.IntRange(1, 10).Draw(t, "limit"),
				CreatedAfter: moment.Draw(t, "after"), CreatedBefore: moment.Draw(t, "before"),
			},
			AccountID: optional(accounts).Draw(t, "account"), ContactID: optional(contacts).Draw(t, "contact"),
			Route: optional(routes).Draw(t, "route"), BatchID: optional([]string{"one"}).Draw(t, "batch"),
			States: rapid.SliceOfN(rapid.SampledFrom(states), 0, 3).Draw(t, "states"),
		}
		var want []string
		for _, transfer := range slices.Backward(transfers) {
			if filter.Matches(w.transfer(t, transfer.ID)) {
				want = append(want, transfer.ID)
			}
		}
		found, _ := w.all(t, filter)
		require.Equal(t, want, found)
	})
}

// A page costs a bounded time also if few of many records are selected: it ends early, and the next one goes on.
func TestAPageLooksAtABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.approved(t)
	contact := w.save(t, "sepa", "EUR", "Grace")
	oldest := w.send(t, to(contact, "base:USDC->sepa:EUR", ""))
	for range 10_100 {
		w.send(t, to(contact, "wire:USD->sepa:EUR", ""))
	}
	first, err := w.ListTransfers(background, payments.TransferFilter{Route: oldest.Route})
	require.NoError(t, err)
	require.Empty(t, first.Data)
	require.NotNil(t, first.NextCursor)
	found, pages := w.all(t, payments.TransferFilter{Route: oldest.Route})
	require.Equal(t, []string{oldest.ID}, found)
	require.Equal(t, 2, pages)
}
