package payments

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	kycStatuses = []KYCStatus{
		KYCStatusNotStarted, KYCStatusIncomplete, KYCStatusPending, KYCStatusUnderReview, KYCStatusResubmissionRequired,
		KYCStatusApproved, KYCStatusRejected, KYCStatusExpired, KYCStatusPaused, KYCStatusOffboarded,
	}
	transferStates = []TransferState{
		TransferStateAwaitingFunds, TransferStateInReview, TransferStateFundsReceived, TransferStatePaymentSubmitted,
		TransferStatePaymentProcessed, TransferStateUndeliverable, TransferStateReturned, TransferStateRefunded,
		TransferStateCanceled, TransferStateExpired, TransferStateFailed,
	}
)

// What can be reached is what a state can become, and what can be reached from there.
func TestReach(t *testing.T) {
	t.Parallel()
	requireReach(t, kycStatuses, KYCStatus.CanBecome, KYCStatus.CanReach)
	requireReach(t, transferStates, TransferState.CanBecome, TransferState.CanReach)
	for _, from := range kycStatuses {
		require.Equal(t, !from.Final(), from.CanReach("unheard_of"))
		require.True(t, KYCStatus("unheard_of").CanReach(from))
		require.Equal(t, from != KYCStatusRejected && from != KYCStatusOffboarded, from.CanReach(KYCStatusApproved), "%s", from)
	}
	for _, from := range transferStates {
		require.Equal(t, from.Final(), !from.CanReach("unheard_of"))
	}
	require.True(t, TransferStateRefunded.Final())
	require.False(t, TransferStateReturned.Final())
	require.False(t, TransferState("unheard_of").Final())
}

func requireReach[S comparable](t *testing.T, states []S, canBecome, canReach func(from, to S) bool) {
	t.Helper()
	for _, from := range states {
		for _, to := range states {
			follows := func(next S) bool { return canBecome(from, next) && (next == to || canReach(next, to)) }
			require.Equal(t, slices.ContainsFunc(states, follows), canReach(from, to), "%v to %v", from, to)
		}
	}
}

func TestPassed(t *testing.T) {
	t.Parallel()
	require.True(t, TransferStatePaymentProcessed.HasPassed(TransferStateFundsReceived))
	require.True(t, TransferStatePaymentSubmitted.HasPassed(TransferStateAwaitingFunds))
	require.False(t, TransferStateAwaitingFunds.HasPassed(TransferStateFundsReceived))
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStatePaymentProcessed))
	require.False(t, TransferStateFailed.HasPassed(TransferStateAwaitingFunds), "it failed")
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStateFailed))
	require.False(t, TransferState("unheard_of").HasPassed(TransferStateAwaitingFunds))
}
