package routes

import (
	"fmt"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// The types and sides of fees on the wire.
const (
	feeBank       = "bank"
	feeNetwork    = "network"
	feeConversion = "conversion"

	sideSource      = "source"
	sideDestination = "destination"
)

const (
	// maxPlaces and maxIntegerDigits are the most digits after and before the point of a money.Decimal in text.
	maxPlaces        = 18
	maxIntegerDigits = 18
	// minRatePlaces is how many decimals a rate has at least, for any source currency.
	minRatePlaces = 8
	// minShownPlaces is how many decimals a rate is written with at least.
	minShownPlaces = 2
)

// A pricing is the cost of transfers on a route.
//
// The product of the converted amount and the rate must fit maxPlaces, or the residue would not be exact. The rate gets
// the decimals that the source currency leaves. If these are fewer than minRatePlaces (ether has 18 decimals), the
// converted amount has fewer decimals instead, and the conversion fee takes the rest.
type pricing struct {
	rate                          money.Decimal // destination units for one source unit
	sourcePlaces, convertedPlaces int
	source, destination           payments.Fee  // fixed, in the currency of their side
	conversion                    payments.Fee  // proportional; without a rate if the currency stays the same
	kept                          money.Decimal // share of the source amount that the conversion fee leaves
}

func newPricing(d *document, rates rates, source, destination Endpoint) (p pricing, err error) {
	p = pricing{
		rate:         rates.between(source.Currency, destination.Currency, max(maxPlaces-source.Decimals, minRatePlaces)),
		sourcePlaces: source.Decimals,
		source:       source.fee,
		destination:  destination.fee,
		kept:         money.Unit(0),
	}
	p.source.Side, p.destination.Side = sideSource, sideDestination
	if p.rate.Zero() {
		return p, fmt.Errorf("the rate from %s to %s is too small; it is cut to zero", source.Currency, destination.Currency)
	}
	p.rate = p.rate.Written(minShownPlaces)
	p.convertedPlaces = min(source.Decimals, maxPlaces-p.rate.Places())
	if source.Currency != destination.Currency {
		p.conversion = payments.Fee{
			Type: feeConversion, Side: sideSource, Currency: source.Currency, Rate: d.Fees.Conversion.Decimal,
		}
		p.kept, _ = p.kept.Sub(*d.Fees.Conversion.Decimal)
	}
	return p, nil
}

// check refuses a route that takes no amount, or whose amounts have too many digits.
func (p pricing) check(least, most money.Decimal) error {
	if least.Cmp(most) > 0 {
		return fmt.Errorf("no amount is possible: bounds and fees need at least %s and at most %s", least, most)
	}
	tooMuch := money.Unit(-maxIntegerDigits)
	if p.rate.Cmp(tooMuch) >= 0 || most.Mul(p.rate).Cmp(tooMuch) >= 0 {
		return fmt.Errorf("the greatest amount %s at the rate %s, or the rate itself, has more than %d digits before "+
			"the point; lower the bounds or correct the rate", most, p.rate, maxIntegerDigits)
	}
	return nil
}

// changes reports whether the currency changes.
func (p pricing) changes() bool { return p.conversion.Rate != nil }

// terms returns the fees before an amount is known.
func (p pricing) terms() []payments.Fee {
	if p.changes() {
		return []payments.Fee{p.source, p.conversion, p.destination}
	}
	return []payments.Fee{p.source, p.destination}
}

// converted returns a source amount less the source-side fees, at least zero.
func (p pricing) converted(source money.Decimal) money.Decimal {
	left, _ := source.Sub(*p.source.Amount)
	if p.changes() {
		left, _ = left.Sub(source.Mul(*p.conversion.Rate).RoundUp(p.sourcePlaces))
	}
	return left.Cut(p.convertedPlaces)
}

// sourceFor returns the least source amount that yields a destination amount. It inverts converted in one step. For
// whole numbers s and n of units of the last place, s − ⌈s·c⌉ ≥ n is the same as s·(1−c) ≥ n.
func (p pricing) sourceFor(destination money.Decimal) money.Decimal {
	converted := destination.Add(*p.destination.Amount).DivUp(p.rate, p.convertedPlaces)
	return converted.Add(*p.source.Amount).DivUp(p.kept, p.sourcePlaces)
}
