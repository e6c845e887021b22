package routes

import (
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// A Quote is the amounts of a transfer on a route. Exactly, in decimals:
//
//	Source                   = the fees of the source side + Converted
//	Converted × ExchangeRate = Destination + the fees of the destination side + Residue
//
// Amounts are cut to the decimals of their side and fees are rounded up, so the residue is never negative. Every field
// has at most 18 decimals, and is written with the decimals of its currency.
type Quote struct {
	// Source is the amount paid, and Converted is Source less the source-side fees, in the source currency.
	Source, Converted money.Decimal
	// Destination is the amount that arrives, in the destination currency.
	Destination money.Decimal
	// ExchangeRate is destination units for one source unit.
	ExchangeRate money.Decimal
	// Residue is left by rounding, in the destination currency.
	Residue money.Decimal
	// Fees are those of the source, then of the destination. Each has its amount, a proportional one also its rate.
	Fees []payments.Fee
}

// Quote prices a transfer of an amount in the currency of the source or of the destination (target).
//
// On the source, the residue is less than one unit of the destination's last place.
//
// On the target, the destination gets exactly the amount, and the source is the least amount that covers it. A unit of
// the source may be worth many of the destination: a cent is 10,000 micro-USDC. The residue is then less than the worth
// of one unit of Converted's last place.
//
// The error is ErrTooManyDecimals for an amount with more decimals than its currency has on its rail. It is a
// *BoundsError if the source amount is outside the route's bounds. The lower bound covers the fees.
func (r Route) Quote(amount money.Decimal, on payments.AmountType) (Quote, error) {
	side, source := r.Source, amount
	switch on {
	case payments.AmountTypeSource, "":
	case payments.AmountTypeTarget:
		side, source = r.Destination, r.price.sourceFor(amount)
	default:
		return Quote{}, fmt.Errorf("an amount counts on %q or %q, not on %q",
			payments.AmountTypeSource, payments.AmountTypeTarget, on)
	}
	if amount.Places() > side.Decimals {
		return Quote{}, fmt.Errorf("%s %s %w: at most %d on %s",
			amount, side.Currency, ErrTooManyDecimals, side.Decimals, side.Rail)
	}
	if amount.Zero() || source.Cmp(r.Terms.MinAmount) < 0 || source.Cmp(r.Terms.MaxAmount) > 0 {
		return Quote{}, &BoundsError{
			Min: r.Terms.MinAmount, Max: r.Terms.MaxAmount, Currency: r.Source.Currency,
			Amount: source.Written(r.Source.Decimals),
		}
	}
	q := Quote{
		Source: source.Written(r.Source.Decimals), Converted: r.price.converted(source).Written(r.Source.Decimals),
		ExchangeRate: r.price.rate,
	}
	// Neither difference can be negative: the least amount covers the fees and a unit of the destination.
	left, _ := q.Converted.Mul(q.ExchangeRate).Sub(*r.price.destination.Amount)
	q.Destination = left.Cut(r.Destination.Decimals)
	if on == payments.AmountTypeTarget {
		q.Destination = amount
	}
	q.Residue, _ = left.Sub(q.Destination)
	q.Destination, q.Residue = q.Destination.Written(r.Destination.Decimals), q.Residue.Written(r.Destination.Decimals)
	q.Fees = r.price.charged(source, q.Converted)
	return q, nil
}

func (p pricing) charged(source, converted money.Decimal) []payments.Fee {
	if !p.changes() {
		return p.terms()
	}
	conversion := p.conversion
	taken, _ := source.Sub(converted)
	amount, _ := taken.Sub(*p.source.Amount)
	conversion.Amount = new(amount.Written(p.sourcePlaces))
	return []payments.Fee{p.source, conversion, p.destination}
}

// ErrTooManyDecimals means that an amount has more decimals than its currency has on that rail.
var ErrTooManyDecimals = errors.New("has too many decimals")

// BoundsError means that an amount is outside a route's bounds.
type BoundsError struct {
	// Min and Max are the least and the greatest source amount of the route. Min covers the fees and leaves at least
	// one unit of the destination's last place.
	Min, Max money.Decimal
	// Currency is the source's. All three amounts are in it.
	Currency string
	// Amount is the source amount of the transfer, computed if the amount counted on the target.
	Amount money.Decimal
}

// Error implements error.
func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s %s is outside the route's bounds; send at least %s and at most %s %s",
		e.Amount, e.Currency, e.Min, e.Max, e.Currency)
}
