package payments

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
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

// CanReach is the transitive closure of CanBecome.
func TestReach(t *testing.T) {
	t.Parallel()
	requireReach(t, kycStatuses, KYCStatus.CanBecome, KYCStatus.CanReach)
	requireReach(t, transferStates, TransferState.CanBecome, TransferState.CanReach)
	for _, from := range kycStatuses {
		require.Equal(t, !from.Final(), from.CanReach("unheard_of"))
		require.True(t, KYCStatus("unheard_of").CanReach(from))
		require.Equal(t, !from.Final(), from.CanReach(KYCStatusApproved), "%s", from)
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
	require.True(t, TransferStateRefunded.HasPassed(TransferStateReturned), "the money came back")
	require.False(t, TransferStateAwaitingFunds.HasPassed(TransferStateFundsReceived))
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStatePaymentProcessed))
	require.False(t, TransferStateFailed.HasPassed(TransferStateAwaitingFunds), "it failed")
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStateFailed))
	require.False(t, TransferState("unheard_of").HasPassed(TransferStateAwaitingFunds))
}

func TestKYCStates(t *testing.T) {
	t.Parallel()
	for _, status := range kycStatuses {
		require.True(t, status == KYCStatusNotStarted || KYCStatusNotStarted.CanReach(status), status)
		require.True(t, status.Valid())
		require.False(t, status.CanBecome(status), "%s becomes itself", status)
		final := status == KYCStatusRejected || status == KYCStatusOffboarded
		require.Equal(t, final, status.Final(), status)
		takes := status == KYCStatusIncomplete || status == KYCStatusResubmissionRequired || status == KYCStatusExpired
		require.Equal(t, takes, status.TakesSubmission(), status)
	}
	require.False(t, KYCStatus("frozen").Final(), "nothing is known about an unknown status")
	require.False(t, KYCStatusPending.CanBecome(KYCStatusExpired))
	require.True(t, KYCStatusPaused.CanBecome(KYCStatusOffboarded))
}

func TestTransferStates(t *testing.T) {
	t.Parallel()
	for _, state := range transferStates {
		require.True(t, state == TransferStateAwaitingFunds || TransferStateAwaitingFunds.CanReach(state), state)
		require.True(t, state.Valid())
		require.False(t, state.CanBecome(state))
		require.False(t, state.Settled() && state.Failed(), state)
		require.Equal(t, state == TransferStateAwaitingFunds, state.CanBecome(TransferStateCanceled), state)
		require.Equal(t, state == TransferStatePaymentProcessed, state.Settled(), state)
		for _, next := range transferStates {
			isReached := state.Failed() && state.CanReach(next)
			require.True(t, !isReached || next.Failed(), "%s failed, but %s can follow", state, next)
		}
	}
}

func TestNewAccountCheck(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for birthDate, adult := range map[string]bool{
		"2008-03-01": true, "2008-03-02": false, "1950-01-01": true, "2008-02-29": true, "2030-01-01": false, "": true,
	} {
		_, faults := NewAccount{Country: "GB", BirthDate: birthDate}.Check(now)
		require.Equal(t, adult, faults["birthDate"] == nil, birthDate)
	}
	for country, known := range map[string]bool{
		"GB": true, "ZZ": false, "AD": true, "ZW": true, "D ": false, " A": false, "UK": false, "gb": true,
	} {
		normal, errors := NewAccount{Country: country, Address: &Address{Country: country}}.Check(now)
		require.Equal(t, known, len(errors) == 0, country)
		if known {
			require.Equal(t, strings.ToUpper(country), normal.Address.Country)
		} else {
			require.Equal(t, []string{"address.country", "country"}, errors.Names())
		}
	}
	for name, isName := range map[string]bool{
		"Ada": true, "李": true, "O'Neill-Smith": true, " ": false, "\u200b": false, "\x00": false, "\x1b\n": false,
		"\u00a0\u200d": false,
	} {
		_, faults := NewAccount{Country: "GB", FirstName: name}.Check(now)
		require.Equal(t, isName, faults["firstName"] == nil, "%q", name)
		_, faults = NewSavedContact{HolderName: name, Label: name}.Check()
		require.Equal(t, isName, faults["holderName"] == nil && faults["label"] == nil, "%q", name)
	}
	normal, faults := NewAccount{Country: "GB", PhoneNumber: "+44 (207) 946-0000"}.Check(now)
	require.Empty(t, faults)
	require.Equal(t, "+442079460000", normal.PhoneNumber)
}

// An amount of zero is sent. Without an amount, the request would mean whatever arrives.
func TestAnAmountOfZeroIsThere(t *testing.T) {
	t.Parallel()
	var zero money.Decimal
	text, err := json.Marshal(NewAutoTransfer{Amount: &zero})
	require.NoError(t, err)
	require.Contains(t, string(text), `"amount":"0"`)
	text, err = json.Marshal(NewAutoTransfer{})
	require.NoError(t, err)
	require.NotContains(t, string(text), "amount")
}

// Turns agree with the state machines. An applicant can submit something, a final status has failed, and a person is
// needed exactly if the turn is a person's.
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
