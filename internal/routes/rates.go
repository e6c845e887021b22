package routes

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// rates holds what one unit of each currency is worth, as an exact fraction of a unit of the currency of the fees. A
// currency that no chain of rates links to that one has none.
type rates map[string]fraction

type fraction struct{ numerator, denominator payments.Decimal }

// A rate states that an amount of one currency is worth an amount of another.
type rate struct {
	index       int // in the file
	left, right string
	worth       fraction // of a unit of left, in units of right
}

// readRates reads the list of rates. A rate between two currencies whose worth is known already would repeat or
// contradict the others, and is refused.
func readRates(d *document) (rates, error) {
	var left []rate
	for i := range d.Rates {
		r, err := readRate(d, i)
		if err != nil {
			return nil, err
		}
		left = append(left, r)
	}
	known := rates{d.Fees.Currency: {payments.Unit(0), payments.Unit(0)}}
	for progress := true; progress; { // in each round, those that are linked to what is known
		progress = false
		waiting := left
		left = nil
		for _, r := range waiting {
			a, knowsLeft := known[r.left]
			b, knowsRight := known[r.right]
			switch {
			case knowsLeft && knowsRight:
				return nil, d.at("rates", strconv.Itoa(r.index),
					"the rate between %s and %s follows from the other rates; state it once", r.left, r.right)
			case knowsLeft:
				known[r.right] = fraction{a.numerator.Mul(r.worth.denominator), a.denominator.Mul(r.worth.numerator)}
			case knowsRight:
				known[r.left] = fraction{b.numerator.Mul(r.worth.numerator), b.denominator.Mul(r.worth.denominator)}
			default:
				left = append(left, r)
				continue
			}
			progress = true
		}
	}
	return known, nil
}

// readRate reads a rate such as 1 EUR = 1.08 USD.
func readRate(d *document, i int) (rate, error) {
	at := func(format string, args ...any) error { return d.at("rates", strconv.Itoa(i), format, args...) }
	parts := strings.Fields(d.Rates[i])
	if len(parts) != 5 || parts[2] != "=" {
		return rate{}, at("a rate must have the form 1 EUR = 1.08 USD; it is %.40q", d.Rates[i])
	}
	var amounts [2]payments.Decimal
	for side := range amounts {
		number, currency := parts[3*side], parts[3*side+1]
		amount, err := payments.ParseDecimal(number)
		if err != nil {
			return rate{}, at("%.40q in a rate %v", number, err)
		}
		if amount.Zero() {
			return rate{}, at("an amount in a rate must be above zero; it is %.40q", d.Rates[i])
		}
		if _, ok := d.Currencies[currency]; !ok {
			return rate{}, at("%s", unknown("currency", currency, slices.Sorted(maps.Keys(d.Currencies))))
		}
		amounts[side] = amount
	}
	return rate{i, parts[1], parts[4], fraction{amounts[1], amounts[0]}}, nil
}

// between returns how many units of one currency a unit of the other is worth, cut to a number of decimals. Both must
// have a rate.
func (r rates) between(from, to string, places int) payments.Decimal {
	if from == to {
		return payments.Unit(0)
	}
	a, b := r[from], r[to]
	return a.numerator.Mul(b.denominator).DivDown(a.denominator.Mul(b.numerator), places)
}

// convertUp returns an amount in another currency, rounded up to a number of decimals. Both must have a rate.
func (r rates) convertUp(amount payments.Decimal, from, to string, places int) payments.Decimal {
	if from == to {
		return amount.RoundUp(places)
	}
	a, b := r[from], r[to]
	return amount.Mul(a.numerator).Mul(b.denominator).DivUp(a.denominator.Mul(b.numerator), places)
}
