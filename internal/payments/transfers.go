package payments

import (
	"cmp"
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

// transferReasons explains by code why a transfer has failed or came back. It has the failure reasons of the reference
// service, and the most frequent codes of banks: of ISO 20022 (SEPA and others) and of NACHA (ACH in the United
// States).
var transferReasons = map[string]string{
	"provider_declined":            "The provider declined the payment.",
	"beneficiary_rejected":         "The beneficiary's bank did not accept the payment.",
	"account_closed":               "The beneficiary's account is closed.",
	"funding_amount_mismatch":      "The deposit was not the amount of the transfer.",
	"funding_amount_out_of_bounds": "The deposit was outside the bounds of the route.",
	"route_unavailable":            "The route is no longer offered.",

	"AC01": "The account number is wrong.",
	"AC04": "The account is closed.",
	"AC06": "The account is blocked.",
	"AG01": "This kind of payment is not allowed on the account.",
	"AM04": "There was not enough money in the account.",
	"BE01": "The name does not match the account.",
	"CUST": "The payer or the beneficiary asked for the money back.",
	"FOCR": "The payment was recalled.",
	"MD07": "The holder of the account has died.",
	"MS03": "The bank gave no reason.",
	"RC01": "The BIC or bank code is wrong.",
	"RR04": "The law does not allow the payment.",

	"R01": "There was not enough money in the account.",
	"R02": "The account is closed.",
	"R03": "There is no such account, or it belongs to another person.",
	"R04": "The account number is not valid.",
	"R10": "The holder of the account did not authorize the payment.",
	"R16": "The account is frozen.",
	"R20": "This kind of payment is not allowed on the account.",
}

// TransferReason returns the reason with a code why a transfer has failed or came back. The message of an unknown code
// is the code itself.
func TransferReason(code string) KYCReason {
	return KYCReason{Code: code, Message: cmp.Or(transferReasons[code], code)}
}
