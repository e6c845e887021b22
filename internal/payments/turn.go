package payments

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
