package payments

// A Turn tells who has to act before a subject, an identity check or a transfer, goes on. The order of the values is
// that of their urgency for the reader, such as support staff: they send the deposit of a transfer, they can remind an
// applicant, and they wait for a reviewer at the service.
type Turn int

// The turns.
const (
	TurnUnknown   Turn = iota + 1 // nobody knows what the service's word means; the profile may map it
	TurnYou                       // the reader, or whom they pay for, has to send the money of a transfer
	TurnApplicant                 // the holder of the account has to submit something
	TurnReviewer                  // a reviewer at the service has to decide
	TurnFailed                    // it was refused or has failed: no action is left
	TurnProvider                  // the service or a bank works on it
	TurnDone                      // it has got where it should: no action is needed
)

var turnNames = [...]string{
	TurnUnknown: "unknown", TurnYou: "you", TurnApplicant: "applicant", TurnReviewer: "reviewer", TurnFailed: "failed", TurnProvider: "provider",
	TurnDone: "done",
}

// String returns the name of the turn in one word, in lower case.
func (t Turn) String() string {
	if t < TurnUnknown || t > TurnDone {
		return ""
	}
	return turnNames[t]
}

// NeedsPerson reports whether nothing goes on until a person acts.
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

// Turn returns who has to act on an identity check in this state.
func (s KYCStatus) Turn() Turn { return turnOf(kycTurns[s], s.Valid()) }

// Turn returns who has to act on a transfer in this state.
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

// Failed reports whether the transfer will not deliver its money any more.
func (s TransferState) Failed() bool { return s.Turn() == TurnFailed }
