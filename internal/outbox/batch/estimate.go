package batch

import (
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// An Estimate is what leaves and about what arrives over a route, at the current rate and after the announced fees.
type Estimate struct {
	Leaves          money.Decimal `json:"leaves"`
	LeavesCurrency  string        `json:"leavesCurrency"`
	Arrives         money.Decimal `json:"arrives"`
	ArrivesCurrency string        `json:"arrivesCurrency"`
}

// NewEstimate estimates a payment. It returns nil if the service shows too little.
func NewEstimate(
	key payments.RouteKey, info payments.TransferInfo, terms *payments.TransactionInfo, amount money.Decimal,
	on payments.AmountType,
) *Estimate {
	if terms == nil || terms.ExchangeRate.Zero() {
		return nil
	}
	var share money.Decimal // of the source amount
	fixed := map[string]money.Decimal{}
	for _, fee := range terms.Fees {
		if fee.Rate != nil {
			share = share.Add(*fee.Rate)
		}
		if fee.Amount != nil {
			fixed[fee.Side] = fixed[fee.Side].Add(*fee.Amount)
		}
	}
	kept, isLess := money.MustDecimal("1").Sub(share)
	if !isLess || kept.Zero() {
		return nil
	}
	const exact = 18 // decimals
	e := &Estimate{Leaves: amount, LeavesCurrency: key.SourceCurrency, Arrives: amount,
		ArrivesCurrency: key.DestinationCurrency}
	if on == payments.AmountTypeTarget {
		decimals, _ := info.Decimals(key, payments.AmountTypeSource)
		converted := amount.Add(fixed["destination"]).DivUp(terms.ExchangeRate, exact)
		e.Leaves = converted.Add(fixed["source"]).DivUp(kept, decimals).Written(decimals)
		return e
	}
	decimals, _ := info.Decimals(key, payments.AmountTypeTarget)
	converted, isMore := amount.Mul(kept).Sub(fixed["source"])
	left, isEnough := converted.Mul(terms.ExchangeRate).Sub(fixed["destination"])
	if e.Arrives = left.Cut(decimals).Written(decimals); !isMore || !isEnough {
		return nil
	}
	return e
}

// String returns the estimate for a person. It is empty for nil.
func (e *Estimate) String() string {
	if e == nil {
		return ""
	}
	return e.Leaves.String() + " " + e.LeavesCurrency + " leaves, about " + e.Arrives.String() + " " + e.ArrivesCurrency +
		" arrives (an estimate, at the rate of now)"
}
