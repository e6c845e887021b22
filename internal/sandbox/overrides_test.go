package sandbox_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
)

// From every reachable status, overrides can make exactly the transitions of the state machine.
func TestKYCByHandFollowsTheStateMachine(t *testing.T) {
	t.Parallel()
	paths := map[payments.KYCStatus][]payments.KYCStatus{"pending": {}}
	for queue := []payments.KYCStatus{"pending"}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for _, to := range []payments.KYCStatus{
			"not_started", "incomplete", "pending", "under_review", "resubmission_required", "approved", "rejected", "expired",
			"paused", "offboarded",
		} {
			w := newWorld(t)
			id := w.open("ada+kyc-stuck@example.com").ID
			for _, step := range paths[from] {
				must(w.SetSandboxKYC(t.Context(), id, payments.SandboxKYC{Status: step}))
			}
			require.Equal(t, from, w.kyc(id).Status)
			kyc, err := w.SetSandboxKYC(t.Context(), id, payments.SandboxKYC{Status: to})
			if !from.CanBecome(to) {
				refused(t, err, payments.ProblemInvalidState)
				require.Equal(t, from, w.kyc(id).Status)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, to, kyc.Status)
			require.Equal(t, kyc, w.kyc(id))
			if _, known := paths[to]; !known {
				paths[to] = append(slices.Clone(paths[from]), to)
				queue = append(queue, to)
			}
		}
	}
	require.Len(t, paths, 8, "all but not_started and incomplete follow pending")
}

func TestKYCByHandStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	kyc := must(w.SetSandboxKYC(t.Context(), account.ID, payments.SandboxKYC{
		Status: payments.KYCStatusUnderReview, Reasons: []string{service.ReasonDuplicate, "the photo is of a cat"},
	}))
	cat := payments.KYCReason{Code: "the photo is of a cat", Message: "the photo is of a cat"}
	require.Equal(t, []payments.KYCReason{service.Reason(service.ReasonDuplicate), cat}, kyc.Reasons)
	w.advance(24 * time.Hour)
	require.Equal(t, payments.KYCStatusUnderReview, w.kyc(account.ID).Status, "the verdict that was due is dropped")
	_, err := w.SetSandboxKYC(t.Context(), "acc_nobody", payments.SandboxKYC{Status: payments.KYCStatusApproved})
	refused(t, err, payments.ProblemNotFound)
}

// unfunded is the label of a contact whose transfers wait for a manual deposit.
const unfunded = "Ada+transfer-unfunded"

// A deposit must be the requested amount, or within the limits of a flexible transfer. Any other is sent back.
func TestDeposits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, deposit, failure string }{
		"the amount":              {"250.00", "250", ""},
		"another amount":          {"250.00", "249.99", service.ReasonFundingMismatch},
		"more than a fixed limit": {"250.00", "5000000", service.ReasonFundingMismatch},
		"flexible":                {"", "123.456789", ""},
		"flexible, too little":    {"", "0.50", service.ReasonFundingOutOfBounds},
		"flexible, far too much":  {"", "1000000.01", service.ReasonFundingOutOfBounds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			transfer := w.send(unfunded, test.amount)
			w.advance(time.Hour)
			require.Equal(t, payments.TransferStateAwaitingFunds, w.transfer(transfer.ID).State)
			for _, amount := range []string{"0", "0.00", "1.0000001"} {
				refused(t, errOf(w.deposit(transfer.ID, amount)), payments.ProblemValidation)
			}
			funded := must(w.deposit(transfer.ID, test.deposit)).Value
			refused(t, errOf(w.deposit(transfer.ID, test.deposit)), payments.ProblemInvalidState)
			w.advance(30 * 24 * time.Hour)
			if test.failure == "" {
				require.Equal(t, payments.TransferStateFundsReceived, funded.State)
				require.Contains(t, funded.Source.Amount.String(), test.deposit)
				require.NotNil(t, funded.Destination.Amount)
				require.Nil(t, funded.Refund)
				require.Len(t, funded.OnchainTransactions, 1)
				require.Equal(t, payments.TransferStatePaymentProcessed, w.transfer(transfer.ID).State)
				return
			}
			require.Equal(t, payments.TransferStateFailed, funded.State)
			require.Equal(t, test.failure, *funded.FailureReason)
			require.Contains(t, funded.Refund.Amount.String(), test.deposit)
			require.Equal(t, "USDC", funded.Refund.Currency)
			require.Equal(t, funded, w.transfer(transfer.ID), "it has ended")
		})
	}
}

// The expected settlement counts from the arrival of the funds: by a deposit, an override or reads.
func TestSettlementIsExpectedFromTheDeposit(t *testing.T) {
	t.Parallel()
	deposit := func(w *tested, id string) payments.Transfer { return must(w.deposit(id, "10")).Value }
	byHand := func(w *tested, id string) payments.Transfer { return must(w.move(id, "funds_received", "")) }
	for name, test := range map[string]struct {
		label string
		fund  func(*tested, string) payments.Transfer
	}{
		"deposit": {unfunded, deposit}, "state": {unfunded, byHand},
		"read":        {"Ada+transfer-polls-1", (*tested).transfer},
		"review read": {"Ada+transfer-review-polls-1", (*tested).transfer},
	} {
		w := newWorld(t)
		transfer := w.send(test.label, "10.00")
		w.advance(72 * time.Hour)
		require.Equal(t, *transfer.ExpectedSettlementAt, *w.transfer(transfer.ID).ExpectedSettlementAt, name)
		funded := test.fund(w, transfer.ID)
		require.NotEqual(t, payments.TransferStateAwaitingFunds, funded.State, name)
		require.Equal(t, transfer.ExpectedSettlementAt.Add(72*time.Hour), *funded.ExpectedSettlementAt, name)
	}
}

func TestUnfundedTransfersExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send(unfunded, "10.00")
	w.advance(sandbox.FundingLifetime - time.Millisecond)
	require.Equal(t, payments.TransferStateAwaitingFunds, w.transfer(transfer.ID).State)
	w.advance(time.Millisecond)
	expired := w.transfer(transfer.ID)
	require.Equal(t, payments.TransferStateExpired, expired.State)
	require.Equal(t, transfer.CreatedAt.Add(sandbox.FundingLifetime), expired.UpdatedAt)
	require.Nil(t, expired.Refund)
}

func (w *tested) move(id string, state payments.TransferState, reason string) (payments.Transfer, error) {
	return w.SetSandboxTransferState(w.t.Context(), id, payments.SandboxTransferState{State: state, Reason: reason})
}

func TestTransferByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.send("Ada", "").ID
	refused(t, errOf(w.move(id, "payment_processed", "")), payments.ProblemInvalidState)
	_, err := w.move(id, "funds_received", "why")
	require.Contains(t, refused(t, err, payments.ProblemValidation).Errors, "reason")
	moved := must(w.move(id, "funds_received", ""))
	require.Equal(t, "100.00", moved.Source.Amount.String(), "it adds a typical deposit")
	w.advance(time.Hour)
	require.Equal(t, payments.TransferStateFundsReceived, w.transfer(id).State, "the plan is dropped")
	must(w.move(id, "payment_submitted", ""))
	returned := must(w.move(id, "returned", "no_such_account"))
	require.Equal(t, "no_such_account", *returned.ReturnCode)
	require.NotNil(t, must(w.move(id, "refunded", "")).Refund.CompletedAt)
	refused(t, errOf(w.move(id, "failed", "")), payments.ProblemInvalidState)
}

// With a polls tag, N reads show the state before, and the next one shows the state after.
func TestStepsByPolls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada+kyc-rejected-polls-2@example.com")
	w.advance(time.Hour)
	for _, expected := range []payments.KYCStatus{"pending", "pending", "rejected", "rejected"} {
		require.Equal(t, expected, w.kyc(account.ID).Status)
	}
	transfer := w.send("Ada+transfer-polls-1", "10.00")
	w.advance(time.Hour)
	for _, expected := range []payments.TransferState{
		"awaiting_funds", "funds_received", "payment_submitted", "payment_processed", "payment_processed",
	} {
		require.Equal(t, expected, w.transfer(transfer.ID).State)
	}
	require.Len(t, w.transfer(transfer.ID).OnchainTransactions, 1)
}
