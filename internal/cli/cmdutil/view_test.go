package cmdutil

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// The colour of a status tells whose turn it is.
func TestStatusesHaveTheToneOfTheirTurn(t *testing.T) {
	t.Parallel()
	for status, tone := range map[payments.KYCStatus]ui.Tone{
		payments.KYCStatusUnderReview: ui.Staff, payments.KYCStatusIncomplete: ui.Applicant, payments.KYCStatusRejected: ui.Bad,
		payments.KYCStatusPending: ui.Provider, payments.KYCStatusApproved: ui.Good, "unheard_of": ui.Plain,
	} {
		require.Equal(t, ui.Toned(tone, string(status)), KYCStatus(status))
	}
	for state, tone := range map[payments.TransferState]ui.Tone{
		payments.TransferStateInReview: ui.Staff, payments.TransferStateAwaitingFunds: ui.Applicant, payments.TransferStateReturned: ui.Bad,
		payments.TransferStatePaymentSubmitted: ui.Provider, payments.TransferStatePaymentProcessed: ui.Good, "unheard_of": ui.Plain,
	} {
		require.Equal(t, ui.Toned(tone, string(state)), TransferState(state))
	}
}
