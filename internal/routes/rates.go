package routes

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// rates holds what one unit of each currency is worth, as an exact fraction of a unit of the currency of the fees. A
// currency that no chain of rates links to that one has none.
type rates map[string]fraction

type fraction struct{ numerator, denominator payments.Decimal }

// A rate states that an amount of one currency is worth an amount of another.
type rate struct {
	left, right             string
	leftAmount, rightAmount payments.Decimal
	node                    *yaml.Node
}

// readRates reads the list of rates. A rate between two currencies whose worth is known already would repeat or
// contradict the others, and is refused.
func (d *document) readRates(n *yaml.Node) error {
	var left []rate
	err := readItems(n, "rates", func(item *yaml.Node) error {
		r, err := readRate(item, d)
		left = append(left, r)
		return err
	})
	if err != nil {
		return err
	}
	d.rates = rates{d.fees.currency: {payments.Unit(0), payments.Unit(0)}}
	for progress := true; progress; { // in each round, those that are linked to what is known
		progress = false
		waiting := left
		left = nil
		for _, r := range waiting {
			a, knowsLeft := d.rates[r.left]
			b, knowsRight := d.rates[r.right]
			switch {
			case knowsLeft && knowsRight:
				return at(r.node, "the rate between %s and %s follows from the other rates; state it once", r.left, r.right)
			case knowsLeft:
				d.rates[r.right] = fraction{a.numerator.Mul(r.leftAmount), a.denominator.Mul(r.rightAmount)}
			case knowsRight:
				d.rates[r.left] = fraction{b.numerator.Mul(r.rightAmount), b.denominator.Mul(r.leftAmount)}
			default:
				left = append(left, r)
				continue
			}
			progress = true
		}
	}
	return nil
}

func readRate(n *yaml.Node, d *document) (r rate, err error) {
	r.node = n
	line, err := text(n, "a rate")
	if err != nil {
		return r, err
	}
	parts := strings.Fields(line)
	if len(parts) != 5 || parts[2] != "=" {
		return r, at(n, "a rate must have the form 1 EUR = 1.08 USD; it is %.40q", line)
	}
	for i, amount := range []*payments.Decimal{&r.leftAmount, &r.rightAmount} {
		number, currency := parts[3*i], parts[3*i+1]
		if *amount, err = payments.ParseDecimal(number); err != nil {
			return r, at(n, "%.40q in a rate %v", number, err)
		}
		if amount.Zero() {
			return r, at(n, "an amount in a rate must be above zero; it is %.40q", line)
		}
		if _, ok := d.currencies[currency]; !ok {
			return r, unknown(n, "currency", currency, d.currencyNames)
		}
	}
	r.left, r.right = parts[1], parts[4]
	return r, nil
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
