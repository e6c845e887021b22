package routes

import (
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// A Quote holds the amounts of a transfer on a route. Exactly, in decimals:
//
//	Source                   = the fees of the source side + Converted
//	Converted × ExchangeRate = Destination + the fees of the destination side + Residue
//
// Amounts are cut to the decimals of their side and fees rounded up, so the residue is never negative. Every member
// has at most 18 decimals, and is written with those of its currency.
type Quote struct {
	// Source is what is taken and Converted what the source-side fees leave of it, in the source currency.
	Source, Converted money.Decimal
	// Destination is what arrives, in the destination currency.
	Destination money.Decimal
	// ExchangeRate is destination units for one source unit.
	ExchangeRate money.Decimal
	// Residue is what rounding leaves over, in the destination currency.
	Residue money.Decimal
	// Fees are those of the source, then of the destination; each has its amount, a proportional one its rate as well.
	Fees []payments.Fee
}

// Quote prices a transfer of an amount, which counts in the currency of the source or of the destination (target).
//
// On the source, the destination gets all that fees and whole units allow: the residue is less than one unit of the
// destination's last place.
//
// On the target, the destination gets exactly the amount, and the source is the least amount that covers it. A unit of
// the source may be worth many of the destination (a cent is 10,000 micro-USDC), so that no source amount hits the
// target closely; the residue is then less than the worth, at the rate, of one unit of Converted's last place. Either
// way it is less than one unit of the last place of the coarser of the two, Converted and the destination.
//
// The error is ErrTooManyDecimals for an amount that is finer than its currency on its rail, or a *BoundsError when the
// source amount is out of the route's bounds, of which the lower one covers the fees.
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

// charged returns the fees of a transfer.
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

// ErrTooManyDecimals reports an amount that is finer than its currency on that rail.
var ErrTooManyDecimals = errors.New("has too many decimals")

// BoundsError reports an amount that a route does not take.
type BoundsError struct {
	// Min and Max are the least and the greatest source amount of the route. Min covers the fees and leaves at least
	// one unit of the destination's last place.
	Min, Max money.Decimal
	// Currency is the source's. All three amounts are in it.
	Currency string
	// Amount is the source amount that was asked for. If the amount was one of the destination, it is the source amount
	// that this takes.
	Amount money.Decimal
}

// Error implements error.
func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s %s is outside the route's bounds; send at least %s and at most %s %s",
		e.Amount, e.Currency, e.Min, e.Max, e.Currency)
}
