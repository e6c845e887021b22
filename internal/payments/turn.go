package payments

// A Turn tells who has to act before a subject, an identity check or a transfer, goes on. The order of the values is
// that of their urgency for the reader, such as support staff: they send the deposit of a transfer, they can remind an
// applicant, and they wait for a reviewer at the service.
type Turn int

// The turns.
const (
	TurnYou       Turn = iota + 1 // the reader, or whom they pay for, has to send the money of a transfer
	TurnApplicant                 // the holder of the account has to submit something
	TurnReviewer                  // a reviewer at the service has to decide
	TurnFailed                    // it was refused or has failed: no action is left
	TurnProvider                  // the service or a bank works on it
	TurnDone                      // it has got where it should: no action is needed
)

var turnNames = [...]string{
	TurnYou: "you", TurnApplicant: "applicant", TurnReviewer: "reviewer", TurnFailed: "failed", TurnProvider: "provider",
	TurnDone: "done",
}

// String returns the name of the turn in one word, in lower case.
func (t Turn) String() string {
	if t < TurnYou || t > TurnDone {
		return ""
	}
	return turnNames[t]
}

// NeedsPerson reports whether nothing goes on until a person acts.
func (t Turn) NeedsPerson() bool { return t == TurnYou || t == TurnApplicant || t == TurnReviewer }

// Turn returns who has to act on an identity check in this state. A status that this version does not know is the
// service's: nothing is known that a person could do about it.
func (s KYCStatus) Turn() Turn {
	switch s {
	case KYCStatusUnderReview, KYCStatusPaused:
		return TurnReviewer
	case KYCStatusIncomplete, KYCStatusResubmissionRequired, KYCStatusExpired:
		return TurnApplicant
	case KYCStatusRejected, KYCStatusOffboarded:
		return TurnFailed
	case KYCStatusApproved:
		return TurnDone
	}
	return TurnProvider // also not_started, which the service itself leaves
}

// Turn returns who has to act on a transfer in this state. A state that this version does not know is the service's.
func (s TransferState) Turn() Turn {
	switch {
	case s == TransferStateInReview:
		return TurnReviewer
	case s == TransferStateAwaitingFunds:
		return TurnYou
	case s.Failed():
		return TurnFailed
	case s.Settled():
		return TurnDone
	}
	return TurnProvider
}
