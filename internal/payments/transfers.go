package payments

import "slices"

// transferTransitions lists where each state of a transfer can go.
var transferTransitions = map[TransferState][]TransferState{
	TransferStateAwaitingFunds: {TransferStateInReview, TransferStateFundsReceived, TransferStateCanceled,
		TransferStateExpired, TransferStateFailed},
	TransferStateInReview:         {TransferStateFundsReceived, TransferStateFailed},
	TransferStateFundsReceived:    {TransferStatePaymentSubmitted, TransferStateFailed},
	TransferStatePaymentSubmitted: {TransferStatePaymentProcessed, TransferStateUndeliverable, TransferStateReturned, TransferStateFailed},
	TransferStatePaymentProcessed: {TransferStateReturned},
	TransferStateUndeliverable:    {TransferStateRefunded},
	TransferStateReturned:         {TransferStateRefunded},
}

// CanBecome reports whether a transfer can change from one state to the other in one step.
func (s TransferState) CanBecome(next TransferState) bool {
	return slices.Contains(transferTransitions[s], next)
}

// Settled reports whether the money has arrived.
func (s TransferState) Settled() bool { return s == TransferStatePaymentProcessed }

// Failed reports whether the transfer will not deliver its money any more.
func (s TransferState) Failed() bool {
	switch s {
	case TransferStateUndeliverable, TransferStateReturned, TransferStateRefunded,
		TransferStateCanceled, TransferStateExpired, TransferStateFailed:
		return true
	}
	return false
}

// Contradicts describes the first member in which a transfer differs from the request that was answered with it, or
// returns an empty string. A service shows this way that it confused two responses, or that it answers a key without
// comparing the request. References are compared exactly. A member that the service leaves out contradicts nothing, nor
// does a reference that it makes up for a request without one.
func (t *Transfer) Contradicts(asked NewAutoTransfer) string {
	switch {
	case t.Reference != "" && asked.Reference != "" && t.Reference != asked.Reference:
		return "its reference is " + QuoteReference(t.Reference) + ", and not " + QuoteReference(asked.Reference)
	case t.Amount != nil && asked.Amount != nil && !t.Amount.Equal(*asked.Amount):
		return "its amount is " + t.Amount.String() + ", and not " + asked.Amount.String()
	}
	return ""
}
