package service_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// all reads every page of a list of transfers, and returns the identifiers and the number of pages. It calls between
// after each page but the last.
func (w *world) all(t require.TestingT, filter payments.TransferFilter, between func()) (ids []string, pages int) {
	for {
		page := must(w.ListTransfers(background, filter))
		require.NotNil(t, page.Data)
		pages++
		for _, transfer := range page.Data {
			ids = append(ids, transfer.ID)
		}
		if page.NextCursor == nil {
			return ids, pages
		}
		filter.Cursor = *page.NextCursor
		between()
	}
}

// A list has exactly what its filter matches, newest first, for all filters and page sizes, even while transfers are
// added.
func TestListsHaveWhatTheirFilterMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		var accounts, contacts []string
		for range 2 {
			account := w.open("ada@example.com")
			accounts = append(accounts, account.ID)
			w.advance(t, kycDelay)
			for range 2 {
				contact := contactTo(t, "sepa", "EUR", "Grace")
				contact.AccountID = account.ID
				contacts = append(contacts, must(w.CreateSavedContact(background, contact, once)).Value.ID)
			}
		}
		routes := []string{"wire:USD->sepa:EUR", "base:USDC->sepa:EUR"}
		var transfers []payments.Transfer
		for range rapid.IntRange(0, 25).Draw(t, "transfers") {
			request := payments.NewAutoTransfer{
				DestinationSavedContactID: rapid.SampledFrom(contacts).Draw(t, "to"),
				Route:                     payments.RouteChoice{RouteKey: rapid.SampledFrom(routes).Draw(t, "over")},
				BatchID:                   rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "in"),
				Reference:                 fmt.Sprint("invoice ", len(transfers)),
				ExternalID:                rapid.SampledFrom([]string{"", "ext-7"}).Draw(t, "externalId"),
			}
			transfers = append(transfers, w.send(request))
			if rapid.Bool().Draw(t, "cancel") {
				must(w.CancelTransfer(background, transfers[len(transfers)-1].ID, once))
			}
			w.advance(t, time.Duration(rapid.IntRange(0, 2).Draw(t, "pause"))*time.Millisecond)
		}
		w.advance(t, settleDelay)

		recent := w.clock.Now().Add(-settleDelay)
		moment := rapid.SampledFrom([]time.Time{{}, recent, recent.Add(-5 * time.Millisecond)})
		optional := func(values []string) *rapid.Generator[string] { return rapid.SampledFrom(append(values, "", "")) }
		states := []payments.TransferState{"awaiting_funds", "canceled", "funds_received", "in_review", "payment_submitted"}
		filter := payments.TransferFilter{
			PageQuery: payments.PageQuery{
				Limit:        rapid.IntRange(1, 10).Draw(t, "limit"),
				CreatedAfter: moment.Draw(t, "after"), CreatedBefore: moment.Draw(t, "before"),
			},
			AccountID: optional(accounts).Draw(t, "account"), ContactID: optional(contacts).Draw(t, "contact"),
			Route: optional(routes).Draw(t, "route"), BatchID: optional([]string{"one"}).Draw(t, "batch"),
			States:     rapid.SliceOfN(rapid.SampledFrom(states), 0, 3).Draw(t, "states"),
			ExternalID: optional([]string{"ext-7"}).Draw(t, "of externalId"),
			Reference:  rapid.SampledFrom([]string{"", "", "", "invoice 3"}).Draw(t, "reference"),
		}
		var want []string
		for _, transfer := range slices.Backward(transfers) {
			if filter.Matches(w.transfer(transfer.ID)) {
				want = append(want, transfer.ID)
			}
		}
		more := payments.NewAutoTransfer{DestinationSavedContactID: contacts[0],
			Route: payments.RouteChoice{RouteKey: routes[0]}}
		found, pages := w.all(t, filter, func() { w.send(more) })
		require.Equal(t, want, found)
		require.Equal(t, max(1, (len(want)+filter.Limit-1)/filter.Limit), pages, "the last page has no cursor")
	})
}

// A page takes bounded time even if its filter selects few of many records. It ends early, and the next one continues.
func TestAPageLooksAtABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.approved(t)
	contact := w.save(t, "sepa", "EUR", "Grace")
	oldest := w.send(to(contact, "base:USDC->sepa:EUR", ""))
	for range 10_100 {
		w.send(to(contact, "wire:USD->sepa:EUR", ""))
	}
	first := must(w.ListTransfers(background, payments.TransferFilter{Route: oldest.Route}))
	require.Empty(t, first.Data)
	require.NotNil(t, first.NextCursor)
	found, pages := w.all(t, payments.TransferFilter{Route: oldest.Route}, func() {})
	require.Equal(t, []string{oldest.ID}, found)
	require.Equal(t, 2, pages)
}

func TestForeignCursorIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	for _, cursor := range []string{
		"trf_1", "1", "; drop", "acc_", "acc_1", "acc_01kdvdncxr70set6j6x9j8gb5u", "acc_01KDVDNCXR70SET6J6X9J8GB59",
		"acc_01kdvdncxr70set6j6x9j8gb590",
		"acc_8zzzzzzzzzzzzzzzzzzzzzzzzz", "acc_01kdvdncxr70set6j6x9j8gb5\xff",
	} {
		_, err := w.ListAccounts(background, payments.AccountFilter{PageQuery: payments.PageQuery{Cursor: cursor}})
		refusal := requireRefused(t, err, payments.ProblemValidation)
		require.Equal(t, []string{"cursor"}, refusal.Errors.Names())
	}
}

// Jobs have the same effect no matter when requests read.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := "Grace" + rapid.SampledFrom(transferTags).Draw(t, "tag")
		history := func(looks []int) payments.Transfer {
			w := empty(t)
			w.approved(t)
			transfer := w.send(to(w.save(t, "sepa", "EUR", label), "wire:USD->sepa:EUR", "50.00"))
			for _, tenths := range looks {
				w.clock.Advance(time.Duration(tenths) * 100 * time.Millisecond)
				w.transfer(transfer.ID)
			}
			w.clock.Advance(paytestStart.Add(time.Hour).Sub(w.clock.Now()))
			transfer = w.transfer(transfer.ID)
			transfer.ID, transfer.AccountID, transfer.DestinationSavedContactID = "", "", ""
			transfer.DepositInstructions.PaymentReference = ""
			return transfer
		}
		require.Equal(t, history(nil), history(rapid.SliceOfN(rapid.IntRange(0, 20), 0, 12).Draw(t, "looks")))
	})
}

// The service lists exactly the contacts that a filter matches.
func TestContactFiltersSelectWhatMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		accounts := []string{w.open("ada@example.com").ID, w.open("bea@example.com").ID}
		labels, externalIDs := []string{"Ada", "ada"}, []string{"", "x-1", "X-1"}
		var all []payments.SavedContact
		for range rapid.IntRange(0, 6).Draw(t, "contacts") {
			request := contactTo(t, "sepa", "EUR", rapid.SampledFrom(labels).Draw(t, "label"))
			request.ExternalID = rapid.SampledFrom(externalIDs).Draw(t, "externalId")
			request.AccountID = rapid.SampledFrom(accounts).Draw(t, "account")
			request.Metadata = payments.Metadata{"team": "ops"}
			all = slices.Insert(all, 0, must(w.CreateSavedContact(background, request, once)).Value)
		}
		filter := payments.SavedContactFilter{
			AccountID:  rapid.SampledFrom(append(accounts, "")).Draw(t, "of account"),
			ExternalID: rapid.SampledFrom(externalIDs).Draw(t, "of externalId"),
			Label:      rapid.SampledFrom(append(labels, "")).Draw(t, "of label"),
		}
		page := must(w.ListSavedContacts(background, filter))
		matching := slices.DeleteFunc(all, func(c payments.SavedContact) bool { return !filter.Matches(c) })
		require.Equal(t, append([]payments.SavedContact{}, matching...), page.Data)
	})
}
