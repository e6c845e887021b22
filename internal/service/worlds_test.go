package service_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store/memory"
)

// Two clients of one store never see each other's things, nor feel each other's clock.
func TestClientsAreApart(t *testing.T) {
	t.Parallel()
	shared := memory.New()
	ours, theirs := newWorld(t, shared, "ours"), newWorld(t, shared, "theirs")
	account := ours.approved(t)
	contact := ours.save(t, "base", "USDC", "Grace")
	transfer := ours.send(t, to(contact, achToBase, "50.00"))
	theirs.approved(t)

	_, err := theirs.GetAccount(background, account.ID, payments.ReadOptions{})
	requireRefused(t, err, payments.KindNotFound)
	_, err = theirs.GetKYCStatus(background, account.ID, payments.ReadOptions{})
	requireRefused(t, err, payments.KindNotFound)
	_, err = theirs.SubmitKYC(background, account.ID, document(), once)
	requireRefused(t, err, payments.KindNotFound)
	_, err = theirs.GetSavedContact(background, contact.ID, payments.ReadOptions{})
	requireRefused(t, err, payments.KindNotFound)
	requireRefused(t, theirs.DeleteSavedContact(background, contact.ID), payments.KindNotFound)
	_, err = theirs.GetTransfer(background, transfer.ID, payments.ReadOptions{})
	requireRefused(t, err, payments.KindNotFound)
	_, err = theirs.CancelTransfer(background, transfer.ID, once)
	requireRefused(t, err, payments.KindNotFound)
	_, err = theirs.CreateAutoTransfer(background, to(contact, achToBase, "50.00"), once)
	requireRefused(t, err, payments.KindNotFound)
	request := contactTo(t, "base", "USDC", "Grace")
	request.AccountID = account.ID
	_, err = theirs.CreateSavedContact(background, request, once)
	requireRefused(t, err, payments.KindNotFound)

	_, err = theirs.ListTransfers(background, payments.TransferFilter{PageQuery: payments.PageQuery{Cursor: transfer.ID}})
	requireRefused(t, err, payments.KindValidation)
	contacts, err := theirs.ListSavedContacts(background, payments.SavedContactFilter{AccountID: account.ID})
	require.NoError(t, err)
	require.Empty(t, contacts.Data)
	require.Equal(t, 1, theirs.count(t))

	theirs.advance(t, time.Hour)
	require.Equal(t, payments.TransferStateAwaitingFunds, ours.transfer(t, transfer.ID).State)
}

func TestPagesStayWholeWhileRowsAreAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		before := rapid.IntRange(0, 30).Draw(t, "before")
		for i := range before {
			w.open(t, fmt.Sprintf("ada%d@example.com", i))
		}
		var seen []string
		filter := payments.AccountFilter{PageQuery: payments.PageQuery{Limit: rapid.IntRange(1, 10).Draw(t, "limit")}}
		for {
			page, err := w.ListAccounts(background, filter)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page.Data), filter.Limit)
			for _, account := range page.Data {
				seen = append(seen, account.Email)
			}
			require.Equal(t, len(seen) < before, page.NextCursor != nil, "the last page says that it is")
			if page.NextCursor == nil {
				break
			}
			require.Len(t, page.Data, filter.Limit)
			filter.Cursor = *page.NextCursor
			for range rapid.IntRange(0, 3).Draw(t, "added") {
				w.open(t, "late@example.com")
			}
		}
		require.Len(t, seen, before)
		for i, email := range seen {
			require.Equal(t, fmt.Sprintf("ada%d@example.com", before-1-i), email, "newest first, each once")
		}
	})
}

func TestForeignCursorIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	for _, cursor := range []string{
		"trf_1", "1", "; drop", "acc_", "acc_1", "acc_01kdvdncxr70set6j6x9j8gb5u", "acc_01KDVDNCXR70SET6J6X9J8GB59", "acc_01kdvdncxr70set6j6x9j8gb590",
		"acc_8zzzzzzzzzzzzzzzzzzzzzzzzz", "acc_01kdvdncxr70set6j6x9j8gb5\xff",
	} {
		_, err := w.ListAccounts(background, payments.AccountFilter{PageQuery: payments.PageQuery{Cursor: cursor}})
		refusal := requireRefused(t, err, payments.KindValidation)
		require.Equal(t, []string{"cursor"}, refusal.Errors.Names())
		require.NotContains(t, refusal.Detail, "body")
	}
}

// What happens does not depend on when a request looks.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := "Grace" + rapid.SampledFrom(transferTags).Draw(t, "tag")
		history := func(looks []int) payments.Transfer {
			w := empty(t)
			w.approved(t)
			transfer := w.send(t, to(w.save(t, "sepa", "EUR", label), "wire:USD->sepa:EUR", "50.00"))
			for _, tenths := range looks {
				w.clock.Advance(time.Duration(tenths) * 100 * time.Millisecond)
				w.transfer(t, transfer.ID)
			}
			w.clock.Advance(paytestStart.Add(time.Hour).Sub(w.clock.Now()))
			transfer = w.transfer(t, transfer.ID)
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
		accounts := []string{w.open(t, "ada@example.com").ID, w.open(t, "bea@example.com").ID}
		labels, externalIDs := []string{"Ada", "ada"}, []string{"", "x-1", "X-1"}
		var all []payments.SavedContact
		for range rapid.IntRange(0, 6).Draw(t, "contacts") {
			request := contactTo(t, "sepa", "EUR", rapid.SampledFrom(labels).Draw(t, "label"))
			request.ExternalID = rapid.SampledFrom(externalIDs).Draw(t, "externalId")
			request.AccountID = rapid.SampledFrom(accounts).Draw(t, "account")
			request.Metadata = payments.Metadata{"team": "ops"}
			saved, err := w.CreateSavedContact(background, request, once)
			require.NoError(t, err)
			all = slices.Insert(all, 0, saved.Value)
		}
		filter := payments.SavedContactFilter{
			AccountID:  rapid.SampledFrom(append(accounts, "")).Draw(t, "of account"),
			ExternalID: rapid.SampledFrom(externalIDs).Draw(t, "of externalId"),
			Label:      rapid.SampledFrom(append(labels, "")).Draw(t, "of label"),
		}
		page, err := w.ListSavedContacts(background, filter)
		require.NoError(t, err)
		matching := slices.DeleteFunc(all, func(c payments.SavedContact) bool { return !filter.Matches(c) })
		require.Equal(t, append([]payments.SavedContact{}, matching...), page.Data)
	})
}
