package routes

import (
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/money"
)

// rates are the worth of one unit of each currency, as an exact fraction of a unit of the currency of the fees.
type rates map[string]fraction

type fraction struct{ numerator, denominator money.Decimal }

// readRates reads the list of rates. Each rate has the currency of the fees on one side.
func readRates(d *document) (rates, error) {
	base := d.Fees.Currency
	known := rates{base: {money.Unit(0), money.Unit(0)}}
	for i, text := range d.Rates {
		parts := strings.Fields(text)
		if len(parts) != 5 || parts[2] != "=" {
			return nil, wrong("rates", i, "a rate must have the form 1 EUR = 1.08 USD; it is %.40q", text)
		}
		left, err := d.readSide(parts[0], parts[1])
		if err != nil {
			return nil, wrong("rates", i, "%w", err)
		}
		right, err := d.readSide(parts[3], parts[4])
		if err != nil {
			return nil, wrong("rates", i, "%w", err)
		}
		currency, worth := parts[1], fraction{right, left}
		if currency == base {
			currency, worth = parts[4], fraction{left, right}
		} else if parts[4] != base {
			return nil, wrong("rates", i, "a rate must have the currency of the fees, %s, on one side", base)
		}
		if _, twice := known[currency]; twice {
			return nil, wrong("rates", i, "the rate between %s and %s appears twice", currency, base)
		}
		known[currency] = worth
	}
	return known, nil
}

// readSide reads an amount of a currency in a rate.
func (d *document) readSide(number, currency string) (money.Decimal, error) {
	amount, err := money.ParseDecimal(number)
	if err != nil {
		return amount, fmt.Errorf("%.40q in a rate %w", number, err)
	}
	if amount.Zero() {
		return amount, fmt.Errorf("an amount in a rate must be above zero; it is %.40q", number)
	}
	return amount, d.checkPattern(pattern{Currency: words{currency}})
}

// between returns how many units of one currency a unit of the other is worth, cut to a number of decimals. Both must
// have a rate.
func (r rates) between(from, to string, places int) money.Decimal {
	if from == to {
		return money.Unit(0)
	}
	a, b := r[from], r[to]
	return a.numerator.Mul(b.denominator).DivDown(a.denominator.Mul(b.numerator), places)
}

// convertUp returns an amount in another currency, rounded up to a number of decimals. Both must have a rate.
func (r rates) convertUp(amount money.Decimal, from, to string, places int) money.Decimal {
	if from == to {
		return amount.RoundUp(places)
	}
	a, b := r[from], r[to]
	return amount.Mul(a.numerator).Mul(b.denominator).DivUp(a.denominator.Mul(b.numerator), places)
}
