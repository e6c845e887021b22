package payments

import (
	"slices"

	"github.com/go-json-experiment/json"
)

// transferTransitions lists the next states of each state of a transfer.
var transferTransitions = map[TransferState][]TransferState{
	TransferStateAwaitingFunds: {TransferStateInReview, TransferStateFundsReceived, TransferStateCanceled,
		TransferStateExpired, TransferStateFailed},
	TransferStateInReview:      {TransferStateFundsReceived, TransferStateFailed},
	TransferStateFundsReceived: {TransferStatePaymentSubmitted, TransferStateFailed},
	TransferStatePaymentSubmitted: {TransferStatePaymentProcessed, TransferStateUndeliverable, TransferStateReturned,
		TransferStateFailed},
	TransferStatePaymentProcessed: {TransferStateReturned},
	TransferStateUndeliverable:    {TransferStateRefunded},
	TransferStateReturned:         {TransferStateRefunded},
}

// CanBecome reports whether a transfer can change from one state to the other in one step.
func (s TransferState) CanBecome(next TransferState) bool {
	return slices.Contains(transferTransitions[s], next)
}

// Complete sets the sides of a transfer from its route and amount, if the service shows neither side. The amount's
// currency, if a profile maps it, decides the side.
func (t *Transfer) Complete() {
	key, err := ParseRouteKey(t.Route)
	var shown struct {
		AmountCurrency string `json:"amountCurrency"`
	}
	if t.AmountType == "" && err == nil && json.Unmarshal(t.Document, &shown) == nil &&
		shown.AmountCurrency == key.DestinationCurrency && shown.AmountCurrency != key.SourceCurrency {
		t.AmountType = AmountTypeTarget
	}
	if err != nil || t.Amount == nil || t.Source != (TransferSide{}) || t.Destination != (TransferSide{}) {
		return
	}
	t.Source.Currency, t.Source.PaymentRail = key.SourceCurrency, key.SourceRail
	t.Destination.Currency, t.Destination.PaymentRail = key.DestinationCurrency, key.DestinationRail
	if t.AmountType == AmountTypeTarget {
		t.Destination.Amount = t.Amount
	} else {
		t.Source.Amount = t.Amount
	}
}
