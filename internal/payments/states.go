package payments

import (
	"slices"
)

// MaxKYCAttempts is how many submissions an identity check accepts before it is rejected. An expiry resets the count.
const MaxKYCAttempts = 3

// kycTransitions is the state machine of identity checks: the states that can follow each state.
var kycTransitions = map[KYCStatus][]KYCStatus{
	KYCStatusNotStarted: {KYCStatusIncomplete},
	KYCStatusIncomplete: {KYCStatusPending},
	KYCStatusPending: {KYCStatusApproved, KYCStatusUnderReview, KYCStatusResubmissionRequired,
		KYCStatusRejected},
	KYCStatusUnderReview:          {KYCStatusApproved, KYCStatusResubmissionRequired, KYCStatusRejected},
	KYCStatusResubmissionRequired: {KYCStatusPending, KYCStatusRejected},
	KYCStatusApproved: {KYCStatusExpired, KYCStatusPaused, KYCStatusOffboarded, KYCStatusUnderReview,
		KYCStatusResubmissionRequired, KYCStatusRejected},
	KYCStatusExpired: {KYCStatusPending},
	KYCStatusPaused:  {KYCStatusApproved, KYCStatusOffboarded},
}

// Transitions returns the state machines of identity checks and of transfers: the states that can follow each state.
func Transitions() (map[KYCStatus][]KYCStatus, map[TransferState][]TransferState) {
	return kycTransitions, transferTransitions
}

// CanBecome reports whether an identity check can change from one state to the other in one step.
func (s KYCStatus) CanBecome(next KYCStatus) bool { return slices.Contains(kycTransitions[s], next) }

// Final reports whether an identity check never leaves the state.
func (s KYCStatus) Final() bool { return s.Valid() && len(kycTransitions[s]) == 0 }

// TakesSubmission reports whether requirements can be submitted in this state.
func (s KYCStatus) TakesSubmission() bool { return s.CanBecome(KYCStatusPending) }

// Decided reports whether an identity check has a verdict. The verified members then cannot be changed. An expired
// approval is not a verdict: another check follows.
func (s KYCStatus) Decided() bool {
	switch s {
	case KYCStatusApproved, KYCStatusRejected, KYCStatusPaused, KYCStatusOffboarded:
		return true
	}
	return false
}

// canReach reports whether a state machine can get from one state to the other. If a state is unknown, only a final
// state cannot.
func canReach[S interface {
	comparable
	Valid() bool
	Final() bool
}](next map[S][]S, from, to S) bool {
	if !from.Valid() || !to.Valid() {
		return !from.Final()
	}
	reached := slices.Clone(next[from])
	for i := 0; i < len(reached); i++ {
		for _, state := range next[reached[i]] {
			if !slices.Contains(reached, state) {
				reached = append(reached, state)
			}
		}
	}
	return slices.Contains(reached, to)
}

// CanReach reports whether an identity check can still get from this state to the other, as canReach does.
func (s KYCStatus) CanReach(other KYCStatus) bool { return canReach(kycTransitions, s, other) }

// Final reports whether a transfer never leaves the state.
func (s TransferState) Final() bool { return s.Valid() && len(transferTransitions[s]) == 0 }

// CanReach reports whether a transfer can still get from this state to the other, as canReach does.
func (s TransferState) CanReach(other TransferState) bool {
	return canReach(transferTransitions, s, other)
}

// HasPassed reports whether a transfer in this state may have been in the other, cannot return to it, and has not
// failed since.
func (s TransferState) HasPassed(other TransferState) bool {
	return s.Valid() && other.Valid() && s.Failed() == other.Failed() && s != other && other.CanReach(s) &&
		!s.CanReach(other)
}

// A Turn is who must act next on an identity check or a transfer. The values are in the order of urgency for the
// reader, such as support staff.
type Turn int

// The turns.
const (
	TurnUnknown   Turn = iota + 1 // the service's word is unknown; the profile may map it
	TurnYou                       // the reader, or the payer, must send the money of a transfer
	TurnApplicant                 // the holder of the account must submit something
	TurnReviewer                  // a reviewer at the service must decide
	TurnFailed                    // it was refused or has failed
	TurnProvider                  // the service or a bank works on it
	TurnDone                      // it has succeeded
)

var turnNames = [...]string{
	TurnUnknown: "unknown", TurnYou: "you", TurnApplicant: "applicant", TurnReviewer: "reviewer", TurnFailed: "failed",
	TurnProvider: "provider",
	TurnDone:     "done",
}

// String returns the name of the turn.
func (t Turn) String() string {
	if t < TurnUnknown || t > TurnDone {
		return ""
	}
	return turnNames[t]
}

// NeedsPerson reports whether a person must act.
func (t Turn) NeedsPerson() bool { return t == TurnYou || t == TurnApplicant || t == TurnReviewer }

// The turns of states. Any other state of the contract is the provider's.
var (
	kycTurns = map[KYCStatus]Turn{
		KYCStatusUnderReview: TurnReviewer, KYCStatusPaused: TurnReviewer,
		KYCStatusIncomplete: TurnApplicant, KYCStatusResubmissionRequired: TurnApplicant, KYCStatusExpired: TurnApplicant,
		KYCStatusRejected: TurnFailed, KYCStatusOffboarded: TurnFailed, KYCStatusApproved: TurnDone,
	}
	transferTurns = map[TransferState]Turn{
		TransferStateInReview: TurnReviewer, TransferStateAwaitingFunds: TurnYou, TransferStatePaymentProcessed: TurnDone,
		TransferStateUndeliverable: TurnFailed, TransferStateReturned: TurnFailed, TransferStateRefunded: TurnFailed,
		TransferStateCanceled: TurnFailed, TransferStateExpired: TurnFailed, TransferStateFailed: TurnFailed,
	}
)

// Turn returns who must act on an identity check in this state.
func (s KYCStatus) Turn() Turn { return turnOf(kycTurns[s], s.Valid()) }

// Turn returns who must act on a transfer in this state.
func (s TransferState) Turn() Turn { return turnOf(transferTurns[s], s.Valid()) }

func turnOf(turn Turn, isKnown bool) Turn {
	switch {
	case !isKnown:
		return TurnUnknown
	case turn == 0:
		return TurnProvider
	}
	return turn
}

// Settled reports whether the money has arrived.
func (s TransferState) Settled() bool { return s.Turn() == TurnDone }

// Failed reports whether the transfer will never deliver its money.
func (s TransferState) Failed() bool { return s.Turn() == TurnFailed }
