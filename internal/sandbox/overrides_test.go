package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
)

var kycStatuses = []payments.KYCStatus{
	payments.KYCStatusNotStarted, payments.KYCStatusIncomplete, payments.KYCStatusPending, payments.KYCStatusUnderReview,
	payments.KYCStatusResubmissionRequired, payments.KYCStatusApproved,
	payments.KYCStatusRejected, payments.KYCStatusExpired,
	payments.KYCStatusPaused, payments.KYCStatusOffboarded,
}

// From every reachable status, overrides can make exactly the transitions of the state machine.
func TestKYCByHandFollowsTheStateMachine(t *testing.T) {
	t.Parallel()
	paths := map[payments.KYCStatus][]payments.KYCStatus{payments.KYCStatusPending: {}}
	for queue := []payments.KYCStatus{payments.KYCStatusPending}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for _, to := range kycStatuses {
			w := newWorld(t)
			id := w.open("ada+kyc-stuck@example.com").ID
			for _, step := range paths[from] {
				_, err := w.SetSandboxKYC(t.Context(), id, payments.SandboxKYC{Status: step})
				require.NoError(t, err)
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
				paths[to] = append(append([]payments.KYCStatus{}, paths[from]...), to)
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
	kyc, err := w.SetSandboxKYC(t.Context(), account.ID, payments.SandboxKYC{
		Status: payments.KYCStatusUnderReview, Reasons: []string{service.ReasonDuplicate, "the photo is of a cat"}})
	require.NoError(t, err)
	cat := payments.KYCReason{Code: "the photo is of a cat", Message: "the photo is of a cat"}
	require.Equal(t, []payments.KYCReason{service.Reason(service.ReasonDuplicate), cat}, kyc.Reasons)
	w.advance(24 * time.Hour)
	require.Equal(t, payments.KYCStatusUnderReview, w.kyc(account.ID).Status, "the verdict that was due is dropped")
	_, err = w.SetSandboxKYC(t.Context(), "acc_nobody", payments.SandboxKYC{Status: payments.KYCStatusApproved})
	refused(t, err, payments.ProblemNotFound)
}

// unfunded is the label of a contact whose transfers wait for a manual deposit.
const unfunded = "Ada+transfer-unfunded"

func TestDepositOfAFixedAmount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send(unfunded, "250.00")
	w.advance(time.Hour)
	require.Equal(t, payments.TransferStateAwaitingFunds, w.transfer(transfer.ID).State)

	key := service.WriteKey{Key: "k", Fingerprint: "f"}
	deposit := payments.SandboxDeposit{Amount: money.MustDecimal("250")}
	written, err := w.CreateSandboxDeposit(t.Context(), transfer.ID, deposit, key)
	require.NoError(t, err)
	require.Equal(t, payments.TransferStateFundsReceived, written.Value.State)
	require.Len(t, written.Value.OnchainTransactions, 1)
	again, err := w.CreateSandboxDeposit(t.Context(), transfer.ID, deposit, key)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	_, err = w.CreateSandboxDeposit(t.Context(), transfer.ID, deposit, once)
	refused(t, err, payments.ProblemInvalidState)
	w.advance(2 * settleDelay)
	require.Equal(t, payments.TransferStatePaymentProcessed, w.transfer(transfer.ID).State)
}

func TestDepositThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, deposit, reason string }{
		"another amount":          {"250.00", "249.99", service.ReasonFundingMismatch},
		"flexible, too little":    {"", "0.50", service.ReasonFundingOutOfBounds},
		"flexible, far too much":  {"", "1000000.01", service.ReasonFundingOutOfBounds},
		"more than a fixed limit": {"250.00", "5000000", service.ReasonFundingMismatch},
	} {
		w := newWorld(t)
		transfer := w.send(unfunded, test.amount)
		written, err := w.deposit(transfer.ID, test.deposit)
		require.NoError(t, err, name)
		failed := written.Value
		require.Equal(t, payments.TransferStateFailed, failed.State, name)
		require.Equal(t, test.reason, *failed.FailureReason, name)
		require.Equal(t, test.deposit, failed.Refund.Amount.String()[:len(test.deposit)], "what arrived is sent back")
		require.Equal(t, "USDC", failed.Refund.Currency)
		w.advance(30 * 24 * time.Hour)
		require.Equal(t, failed, w.transfer(transfer.ID), "that is its end")
	}
}

func TestDepositOfAFlexibleAmount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send(unfunded, "")
	require.Nil(t, transfer.Source.Amount)
	for _, amount := range []string{"0", "0.00", "1.0000001"} {
		_, err := w.deposit(transfer.ID, amount)
		refused(t, err, payments.ProblemValidation)
	}
	written, err := w.deposit(transfer.ID, "123.456789")
	require.NoError(t, err)
	require.Equal(t, "123.456789", written.Value.Source.Amount.String())
	require.NotNil(t, written.Value.Destination.Amount)
	require.Nil(t, written.Value.Refund)
}

// The expected settlement counts from the arrival of the funds, after a manual deposit or after reads.
func TestSettlementIsExpectedFromTheDeposit(t *testing.T) {
	t.Parallel()
	read := func(w *tested, id string) (payments.Transfer, error) { return w.transfer(id), nil }
	for name, test := range map[string]struct {
		label string
		fund  func(*tested, string) (payments.Transfer, error)
	}{
		"deposit": {unfunded, func(w *tested, id string) (payments.Transfer, error) {
			written, err := w.deposit(id, "10")
			return written.Value, err
		}},
		"state": {unfunded, func(w *tested, id string) (payments.Transfer, error) {
			return w.SetSandboxTransferState(t.Context(), id,
				payments.SandboxTransferState{State: payments.TransferStateFundsReceived})
		}},
		"read":        {"Ada+transfer-polls-1", read},
		"review read": {"Ada+transfer-review-polls-1", read},
	} {
		w := newWorld(t)
		transfer := w.send(test.label, "10.00")
		w.advance(72 * time.Hour)
		require.Equal(t, *transfer.ExpectedSettlementAt, *w.transfer(transfer.ID).ExpectedSettlementAt, name)
		funded, err := test.fund(w, transfer.ID)
		require.NoError(t, err, name)
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

func TestTransferByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada", "")
	move := func(state payments.TransferState, reason string) (payments.Transfer, error) {
		return w.SetSandboxTransferState(t.Context(), transfer.ID,
			payments.SandboxTransferState{State: state, Reason: reason})
	}
	_, err := move(payments.TransferStatePaymentProcessed, "")
	refused(t, err, payments.ProblemInvalidState)
	_, err = move(payments.TransferStateFundsReceived, "why")
	require.Contains(t, refused(t, err, payments.ProblemValidation).Errors, "reason")
	moved, err := move(payments.TransferStateFundsReceived, "")
	require.NoError(t, err)
	require.Equal(t, "100.00", moved.Source.Amount.String(), "a typical deposit comes with it")
	w.advance(time.Hour)
	require.Equal(t, payments.TransferStateFundsReceived, w.transfer(transfer.ID).State, "what was planned is dropped")
	_, err = move(payments.TransferStatePaymentSubmitted, "")
	require.NoError(t, err)
	returned, err := move(payments.TransferStateReturned, "no_such_account")
	require.NoError(t, err)
	require.Equal(t, "no_such_account", *returned.ReturnCode)
	refunded, err := move(payments.TransferStateRefunded, "")
	require.NoError(t, err)
	require.NotNil(t, refunded.Refund.CompletedAt)
	_, err = move(payments.TransferStateFailed, "")
	refused(t, err, payments.ProblemInvalidState)
}

// With a tag, N reads show the state before, and the next one the state after.
func TestStepsByPolls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada+kyc-rejected-polls-2@example.com")
	w.advance(time.Hour)
	for _, expected := range []payments.KYCStatus{
		payments.KYCStatusPending, payments.KYCStatusPending, payments.KYCStatusRejected, payments.KYCStatusRejected,
	} {
		require.Equal(t, expected, w.kyc(account.ID).Status)
	}
	transfer := w.send("Ada+transfer-polls-1", "10.00")
	w.advance(time.Hour)
	for _, expected := range []payments.TransferState{
		payments.TransferStateAwaitingFunds, payments.TransferStateFundsReceived,
		payments.TransferStatePaymentSubmitted, payments.TransferStatePaymentProcessed,
		payments.TransferStatePaymentProcessed,
	} {
		require.Equal(t, expected, w.transfer(transfer.ID).State)
	}
	require.Len(t, w.transfer(transfer.ID).OnchainTransactions, 1)
}
