package payments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whose turn it is agrees with the state machines: an applicant can submit something, what is final has
// failed, and a person is needed exactly where the turn is a person's.
func TestTurns(t *testing.T) {
	t.Parallel()
	statuses := map[Turn][]KYCStatus{}
	for _, status := range kycStatuses {
		turn := status.Turn()
		statuses[turn] = append(statuses[turn], status)
		require.Equal(t, turn == TurnApplicant, status.TakesSubmission(), status)
		require.Equal(t, status == KYCStatusRejected || status == KYCStatusOffboarded, turn == TurnFailed, status)
		if status.Final() {
			require.Equal(t, TurnFailed, turn, status)
		}
		require.Equal(t, turn == TurnReviewer || turn == TurnApplicant, turn.NeedsPerson(), status)
	}
	require.Equal(t, map[Turn][]KYCStatus{
		TurnReviewer:  {KYCStatusUnderReview, KYCStatusPaused},
		TurnApplicant: {KYCStatusIncomplete, KYCStatusResubmissionRequired, KYCStatusExpired},
		TurnFailed:    {KYCStatusRejected, KYCStatusOffboarded},
		TurnProvider:  {KYCStatusNotStarted, KYCStatusPending},
		TurnDone:      {KYCStatusApproved},
	}, statuses)

	states := map[Turn][]TransferState{}
	for _, state := range transferStates {
		turn := state.Turn()
		states[turn] = append(states[turn], state)
		require.Equal(t, state.Failed(), turn == TurnFailed, state)
		require.Equal(t, turn == TurnReviewer || turn == TurnYou, turn.NeedsPerson(), state)
	}
	require.Equal(t, map[Turn][]TransferState{
		TurnReviewer: {TransferStateInReview},
		TurnYou:      {TransferStateAwaitingFunds},
		TurnFailed: {TransferStateUndeliverable, TransferStateReturned, TransferStateRefunded, TransferStateCanceled,
			TransferStateExpired, TransferStateFailed},
		TurnProvider: {TransferStateFundsReceived, TransferStatePaymentSubmitted},
		TurnDone:     {TransferStatePaymentProcessed},
	}, states)

	require.Equal(t, TurnUnknown, KYCStatus("unheard_of").Turn())
	require.Equal(t, TurnUnknown, TransferState("unheard_of").Turn())
	require.Empty(t, Turn(0).String())
	require.Empty(t, (TurnDone + 1).String())
}
