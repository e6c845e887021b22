package service_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store/memory"
)

const achToBase = "ach:USD->base:USDC"

// Each tag of a contact's label leads through its states, one after each delay.
func TestTransferOutcomes(t *testing.T) {
	t.Parallel()
	const awaiting, received, submitted = "awaiting_funds", "funds_received", "payment_submitted"
	const processed, failed, refunded = "payment_processed", "failed", "refunded"
	for tag, states := range map[string][]payments.TransferState{
		"":                               {awaiting, received, submitted, processed, processed},
		"+transfer-failed":               {awaiting, received, failed, failed},
		"+transfer-returned":             {awaiting, received, submitted, processed, "returned", refunded, refunded},
		"+transfer-undeliverable":        {awaiting, received, submitted, "undeliverable", refunded, refunded},
		"+transfer-review":               {awaiting, "in_review", received, submitted, processed},
		"+Transfer-Failed":               {awaiting, received, failed},
		"+transfer-slow+transfer-failed": {awaiting, received, failed},
		"+transfer-unheard-of":           {awaiting, received, submitted, processed},
		"+transfer-slow":                 append(slices.Repeat([]payments.TransferState{awaiting}, 20), received),
	} {
		for _, amount := range []string{"50.00", ""} {
			w := empty(t)
			w.approved(t)
			transfer := w.send(to(w.save(t, "base", "USDC", "Grace"+tag), achToBase, amount))
			for i, state := range states {
				require.Equal(t, state, w.transfer(transfer.ID).State, "%s after %d delays", tag, i)
				w.advance(t, settleDelay)
			}
			w.advance(t, time.Hour)
			requireEnd(t, w.transfer(transfer.ID))
		}
	}
}

// requireEnd checks the members of a transfer in its final state.
func requireEnd(t *testing.T, transfer payments.Transfer) {
	t.Helper()
	var legs []string
	for _, transaction := range transfer.OnchainTransactions {
		legs = append(legs, transaction.Side)
	}
	switch transfer.State {
	case payments.TransferStatePaymentProcessed:
		require.Nil(t, transfer.FailureReason)
		require.Nil(t, transfer.Refund)
		require.Equal(t, []string{"destination"}, legs)
	case payments.TransferStateFailed:
		require.Equal(t, "provider_declined", *transfer.FailureReason)
		require.NotNil(t, transfer.Refund, "funds that were received go back")
		require.Empty(t, legs)
	case payments.TransferStateRefunded:
		require.True(t, (transfer.ReturnCode == nil) != (transfer.FailureReason == nil))
		require.NotNil(t, transfer.Refund.CompletedAt)
		require.Equal(t, []string{"destination"}, legs, "a refund in fiat has no transaction")
	default:
		require.Fail(t, "not a final state", transfer.State)
	}
}

// A deposit arrives before its review, so a transfer that fails in review is refunded.
func TestReviewIsOfTheDeposit(t *testing.T) {
	t.Parallel()
	for amount, arrived := range map[string]string{"50.00": "50.00", "": "100.00"} {
		w := empty(t)
		w.approved(t)
		transfer := w.send(to(w.save(t, "base", "USDC", "Grace+transfer-review"), achToBase, amount))
		w.advance(t, settleDelay)
		reviewed := w.transfer(transfer.ID)
		require.Equal(t, payments.TransferStateInReview, reviewed.State)
		require.Equal(t, arrived, reviewed.Source.Amount.String())
		fails := payments.SandboxTransferState{State: payments.TransferStateFailed}
		failed := must(w.SetSandboxTransferState(background, transfer.ID, fails))
		require.Equal(t, arrived, failed.Refund.Amount.String())
	}
}

func TestFlexibleTransfer(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.approved(t)
	transfer := w.send(to(w.save(t, "base", "USDC", "Grace"), achToBase, ""))
	require.True(t, transfer.Flexible)
	require.Nil(t, transfer.Amount)
	require.Nil(t, transfer.Source.Amount)
	require.Nil(t, transfer.DepositInstructions.Amount)
	require.NotEmpty(t, transfer.Fees, "the fees are known beforehand")
	w.advance(t, settleDelay)
	transfer = w.transfer(transfer.ID)
	require.Equal(t, payments.TransferStateFundsReceived, transfer.State)
	require.Nil(t, transfer.Amount, "the requested amount does not change")
	require.Equal(t, "100.00", transfer.Source.Amount.String())
	require.Equal(t, "99.15", transfer.Destination.Amount.String())
}

func TestTransferIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open("ada@example.com")
	contact := w.save(t, "base", "USDC", "Grace")
	create := func(request payments.NewAutoTransfer) error {
		_, err := w.CreateAutoTransfer(background, request, once)
		return err
	}
	refusal := requireRefused(t, create(to(contact, achToBase, "50.00")), payments.ProblemKYCRequired)
	require.Contains(t, refusal.Detail, account.ID)
	w.advance(t, kycDelay)
	require.NoError(t, create(to(contact, achToBase, "50.00")))

	requireRefused(t, create(to(payments.SavedContact{ID: "sct_none"}, achToBase, "50.00")), payments.ProblemNotFound)
	requireRefused(t, create(to(contact, "ach:USD->ethereum:USDC", "50.00")), payments.ProblemRouteMismatch)
	requireRefused(t, create(to(contact, "sepa:EUR->base:EURC", "50.00")), payments.ProblemRouteMismatch)
	for _, route := range []string{"nowhere", "ach:USD->mars:USDC", ""} {
		refusal = requireRefused(t, create(to(contact, route, "50.00")), payments.ProblemValidation)
		require.Equal(t, []string{"route"}, refusal.Errors.Names())
	}
	for _, amount := range []string{"0", "0.99", "1000000.01", "999999999999999999"} {
		requireRefused(t, create(to(contact, achToBase, amount)), payments.ProblemLimitExceeded)
		onTarget := to(contact, achToBase, amount)
		onTarget.AmountType = payments.AmountTypeTarget
		if amount != "0.99" { // 0.99 on the target is 1.84 on the source
			requireRefused(t, create(onTarget), payments.ProblemLimitExceeded)
		}
	}
	refusal = requireRefused(t, create(to(contact, achToBase, "1.001")), payments.ProblemValidation)
	require.Equal(t, []string{"amount"}, refusal.Errors.Names())
	require.Len(t, w.allTransfers(t, ""), 1, "a refusal leaves nothing")
}

func TestContactOfTheOnlyAccount(t *testing.T) {
	t.Parallel()
	w := empty(t)
	request := contactTo(t, "base", "USDC", "Grace")
	requiresAccount := func() {
		_, err := w.CreateSavedContact(background, request, once)
		require.Equal(t, []string{"accountId"}, requireRefused(t, err, payments.ProblemValidation).Errors.Names())
	}
	requiresAccount() // no account
	first := w.open("ada@example.com")
	require.Equal(t, first.ID, w.save(t, "base", "USDC", "Grace").AccountID)
	second := w.open("bob@example.com")
	requiresAccount() // which of two?
	request.AccountID = second.ID
	require.Equal(t, second.ID, must(w.CreateSavedContact(background, request, once)).Value.AccountID)
	request.AccountID = "acc_none"
	requireRefused(t, errOf(w.CreateSavedContact(background, request, once)), payments.ProblemNotFound)
}

func TestContactsAreMaskedAndDeleted(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.approved(t)
	contact := w.save(t, "sepa", "EUR", "Grace")
	require.Equal(t, "DE****************3000", contact.IBAN)
	transfer := w.send(to(contact, "wire:USD->sepa:EUR", "50.00"))
	require.Equal(t, contact, w.contact(contact.ID).Value)
	require.NoError(t, w.DeleteSavedContact(background, contact.ID))
	requireRefused(t, w.DeleteSavedContact(background, contact.ID), payments.ProblemNotFound)
	_, err := w.GetSavedContact(background, contact.ID, service.ReadOptions{})
	requireRefused(t, err, payments.ProblemNotFound)
	w.advance(t, time.Minute)
	require.Equal(t, payments.TransferStatePaymentProcessed, w.transfer(transfer.ID).State, "transfers keep going")
}

// A store may be opened with a catalogue that lacks routes of its transfers. This does not hold up anything else in the
// world.
func TestCatalogueWithoutTheRouteOfATransfer(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	before := newWorld(t, kept, "client")
	before.approved(t)
	contact := before.save(t, "base", "USDC", "Grace")
	review := before.save(t, "base", "USDC", "Grace+transfer-review")
	unfunded := before.save(t, "base", "USDC", "Grace+transfer-unfunded")
	fixed := before.send(to(contact, achToBase, "100.00"))
	flexible := before.send(to(contact, achToBase, ""))
	reviewed := before.send(to(review, achToBase, ""))
	waiting := before.send(to(unfunded, achToBase, ""))
	settled := before.send(to(unfunded, achToBase, "5.00"))
	wrong := before.send(to(unfunded, achToBase, "6.00"))
	unsettled := before.send(to(unfunded, achToBase, ""))

	after := newWorldBy(t, kept, "client", &routes.Catalogue{}, script, before.clock.Now())
	_, err := after.SetSandboxTransferState(background, waiting.ID,
		payments.SandboxTransferState{State: payments.TransferStateFundsReceived})
	requireRefused(t, err, payments.ProblemConflict)
	deposit := func(transfer payments.Transfer) payments.Transfer {
		five := payments.SandboxDeposit{Amount: money.MustDecimal("5.00")}
		return must(after.CreateSandboxDeposit(background, transfer.ID, five, once)).Value
	}
	require.Equal(t, payments.TransferStateFundsReceived, deposit(settled).State)
	for transfer, reason := range map[*payments.Transfer]string{
		&wrong: service.ReasonFundingMismatch, &unsettled: service.ReasonRouteUnavailable,
	} {
		failed := deposit(*transfer)
		require.Equal(t, payments.TransferStateFailed, failed.State)
		require.Equal(t, reason, *failed.FailureReason)
		require.Equal(t, "5.00", failed.Refund.Amount.String(), "the deposit goes back")
	}

	after.advance(t, time.Minute)
	for _, id := range []string{fixed.ID, settled.ID} {
		require.Equal(t, payments.TransferStatePaymentProcessed, after.transfer(id).State, "its price was settled")
	}
	for _, id := range []string{flexible.ID, reviewed.ID} {
		transfer := after.transfer(id)
		require.Equal(t, payments.TransferStateFailed, transfer.State)
		require.Equal(t, service.ReasonRouteUnavailable, *transfer.FailureReason)
		require.Nil(t, transfer.Refund, "nothing was taken")
	}
	after.advance(t, sandbox.FundingLifetime)
	require.Equal(t, payments.TransferStateExpired, after.transfer(waiting.ID).State)
}
