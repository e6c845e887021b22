package catalogue

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// A worth is what one unit of a currency is worth, as an exact fraction of a unit of the first currency of its group.
// Two currencies have a rate when their groups are the same.
type worth struct {
	group                  int
	numerator, denominator payments.Decimal
}

// rates holds the worth of every currency that some equation names.
type rates map[string]worth

// An equation says that an amount of one currency is worth an amount of another.
type equation struct {
	left, right             string
	leftAmount, rightAmount payments.Decimal
}

// readRates reads the list of equations. Any two that contradict or repeat each other would close a circle, so a circle
// is refused.
func readRates(n *yaml.Node, d *document) error {
	var equations []equation
	groups := groups{}
	err := readItems(n, "rates", func(item *yaml.Node) error {
		e, err := readEquation(item, d)
		if err != nil {
			return err
		}
		if !groups.join(e.left, e.right) {
			return at(item, "the rate between %s and %s follows from the rates above; state it once", e.left, e.right)
		}
		equations = append(equations, e)
		return nil
	})
	d.rates = solve(equations)
	return err
}

func readEquation(n *yaml.Node, d *document) (e equation, err error) {
	line, err := text(n, "a rate")
	if err != nil {
		return e, err
	}
	parts := strings.Fields(line)
	if len(parts) != 5 || parts[2] != "=" {
		return e, at(n, "a rate must have the form 1 EUR = 1.08 USD; it is %s", quote(line))
	}
	for _, side := range []struct {
		amount, currency string
		intoAmount       *payments.Decimal
		intoCurrency     *string
	}{{parts[0], parts[1], &e.leftAmount, &e.left}, {parts[3], parts[4], &e.rightAmount, &e.right}} {
		*side.intoAmount, err = payments.ParseDecimal(side.amount)
		if err != nil {
			return e, at(n, "%s in a rate %v", quote(side.amount), err)
		}
		if side.intoAmount.Zero() {
			return e, at(n, "an amount in a rate must be above zero; it is %s", quote(line))
		}
		if _, ok := d.currencies[side.currency]; !ok {
			return e, unknown(n, "currency", side.currency, d.currencyNames)
		}
		*side.intoCurrency = side.currency
	}
	return e, nil
}

// solve walks the equations, which form trees, outwards from one currency of each tree.
func solve(equations []equation) rates {
	links := map[string][]equation{}
	for _, e := range equations {
		links[e.left] = append(links[e.left], e)
		links[e.right] = append(links[e.right], equation{e.right, e.left, e.rightAmount, e.leftAmount})
	}
	solved := rates{}
	for group, e := range equations {
		if _, ok := solved[e.left]; ok {
			continue
		}
		solved[e.left] = worth{group, payments.Unit(0), payments.Unit(0)}
		for queue := []string{e.left}; len(queue) > 0; queue = queue[1:] {
			known := solved[queue[0]]
			for _, link := range links[queue[0]] {
				if _, ok := solved[link.right]; !ok {
					solved[link.right] = worth{group, known.numerator.Mul(link.leftAmount), known.denominator.Mul(link.rightAmount)}
					queue = append(queue, link.right)
				}
			}
		}
	}
	return solved
}

// known says whether there is a rate between two currencies.
func (r rates) known(from, to string) bool {
	a, ok := r[from]
	b, also := r[to]
	return from == to || ok && also && a.group == b.group
}

// between is how many units of one currency a unit of the other is worth, cut to a number of decimals. The rate must be
// known.
func (r rates) between(from, to string, places int) payments.Decimal {
	if from == to {
		return payments.Unit(0)
	}
	a, b := r[from], r[to]
	return a.numerator.Mul(b.denominator).DivDown(a.denominator.Mul(b.numerator), places)
}

// convertUp is an amount in another currency, rounded up to a number of decimals. The rate must be known.
func (r rates) convertUp(amount payments.Decimal, from, to string, places int) payments.Decimal {
	if from == to {
		return amount.RoundUp(places)
	}
	a, b := r[from], r[to]
	return amount.Mul(a.numerator).Mul(b.denominator).DivUp(a.denominator.Mul(b.numerator), places)
}

// groups tells which names have been joined, directly or through others (a union-find without ranks: few names).
type groups map[string]string

// join puts two names into one group; false when they already were.
func (g groups) join(a, b string) bool {
	a, b = g.leader(a), g.leader(b)
	if a == b {
		return false
	}
	g[b] = a
	return true
}

func (g groups) leader(name string) string {
	for g[name] != "" {
		name = g[name]
	}
	return name
}
