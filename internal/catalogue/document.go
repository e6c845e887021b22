package catalogue

import (
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// Limits of a catalogue, so that a small file cannot ask for unbounded work. A routeKey of the longest names fits the
// 128 characters that the API takes.
const (
	maxNames    = 256 // of each kind: currencies, rails, providers, endpoints, rules
	maxRoutes   = 20_000
	longestRail = 40
	longestCode = 12
	maxSeconds  = 365 * 24 * 60 * 60
)

// A document is what a catalogue file says, before routes are made of it.
type document struct {
	bounds        bounds
	currencies    map[string]currency
	currencyNames []string
	rates         rates
	fees          fees
	rails         map[string]Rail
	railNames     []string
	providerNames []string
	endpoints     []endpoint
	rules         []rule
}

// bounds are a least and a greatest amount, either of which may be left open.
type bounds struct{ min, max *payments.Decimal }

type currency struct {
	decimals int
	bounds   bounds
	on       map[string]int // decimals on a rail that differs
}

// fees are what a transfer costs.
type fees struct {
	currency      string
	bank, network payments.Decimal // per side, in currency
	conversion    payments.Decimal // share of the source amount
}

// fixed is the fee for a side on a rail of a kind, in the currency of the fees.
func (f fees) fixed(kind Kind) (name string, amount payments.Decimal) {
	if kind == KindFiat {
		return feeBank, f.bank
	}
	return feeNetwork, f.network
}

// readDocument reads the parts in the order in which they refer to each other, wherever they stand in the file.
func readDocument(root *yaml.Node) (*document, error) {
	d := &document{currencies: map[string]currency{}, rails: map[string]Rail{}}
	var boundsNode, currencies, rates, fees, rails, providers, endpoints, routes *yaml.Node
	err := readFields(root, "a catalogue",
		field{"bounds", true, nodeInto(&boundsNode)},
		field{"currencies", true, nodeInto(&currencies)},
		field{"rates", true, nodeInto(&rates)},
		field{"fees", true, nodeInto(&fees)},
		field{"rails", true, nodeInto(&rails)},
		field{"providers", true, nodeInto(&providers)},
		field{"endpoints", true, nodeInto(&endpoints)},
		field{"routes", true, nodeInto(&routes)},
	)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		node *yaml.Node
		read func(*yaml.Node, *document) error
	}{
		{rails, readRails}, {providers, readProviders}, {boundsNode, readDefaultBounds}, {currencies, readCurrencies},
		{rates, readRates}, {fees, readFees}, {endpoints, readEndpoints}, {routes, readRules},
	} {
		if err := part.read(part.node, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func nodeInto(into **yaml.Node) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		*into = n
		return nil
	}
}

func readRails(n *yaml.Node, d *document) error {
	return readNamed(n, "rails", &d.railNames, isRailName, railNameForm, func(key, value *yaml.Node) error {
		rail := Rail{Name: key.Value}
		err := readFields(value, "rail "+rail.Name,
			field{"kind", true, func(n *yaml.Node) (err error) {
				rail.Kind, err = readKind(n)
				return err
			}},
			field{"settlement", true, wholeInto(&rail.SettlementSeconds, "settlement", maxSeconds)},
		)
		d.rails[rail.Name] = rail
		return err
	})
}

func readKind(n *yaml.Node) (Kind, error) {
	word, err := text(n, "kind")
	if err == nil && word != string(KindFiat) && word != string(KindChain) {
		err = at(n, "kind must be %s or %s, not %s", KindFiat, KindChain, quote(word))
	}
	return Kind(word), err
}

func readProviders(n *yaml.Node, d *document) error {
	return readItems(n, "providers", func(item *yaml.Node) error {
		name, err := text(item, "a provider")
		if err != nil {
			return err
		}
		if !isRailName(name) {
			return at(item, "a provider's name must be %s, not %s", railNameForm, quote(name))
		}
		d.providerNames = append(d.providerNames, name)
		return nil
	})
}

func readCurrencies(n *yaml.Node, d *document) error {
	return readNamed(n, "currencies", &d.currencyNames, isCode, codeForm, func(key, value *yaml.Node) error {
		c := currency{bounds: d.bounds, on: map[string]int{}}
		err := readFields(value, "currency "+key.Value,
			field{"decimals", true, wholeInto(&c.decimals, "decimals", maxPlaces)},
			field{"bounds", false, func(n *yaml.Node) error { return readBounds(n, &c.bounds) }},
			field{"decimalsOn", false, func(n *yaml.Node) error {
				return readEntries(n, "decimalsOn", func(rail, value *yaml.Node) error {
					if _, ok := d.rails[rail.Value]; !ok {
						return unknown(rail, "rail", rail.Value, d.railNames)
					}
					var decimals int
					err := wholeInto(&decimals, "decimalsOn", maxPlaces)(value)
					c.on[rail.Value] = decimals
					return err
				})
			}},
		)
		d.currencies[key.Value] = c
		return err
	})
}

func readFees(n *yaml.Node, d *document) error {
	return readFields(n, "fees",
		field{"currency", true, func(n *yaml.Node) error { return readName(n, "currency", d.currencyNames, &d.fees.currency) }},
		field{"bank", true, decimalInto(&d.fees.bank, "bank")},
		field{"network", true, decimalInto(&d.fees.network, "network")},
		field{"conversion", true, func(n *yaml.Node) error {
			if err := decimalInto(&d.fees.conversion, "conversion")(n); err != nil {
				return err
			}
			if d.fees.conversion.Cmp(payments.Unit(0)) >= 0 {
				return at(n, "conversion is a share of the amount and must be below 1; 0.0025 is 0.25 %%")
			}
			return nil
		}},
	)
}

func readDefaultBounds(n *yaml.Node, d *document) error {
	if err := readBounds(n, &d.bounds); err != nil {
		return err
	}
	if d.bounds.min == nil || d.bounds.max == nil {
		return at(n, "bounds must have min and max")
	}
	return nil
}

// readBounds changes what the node names of the bounds that hold so far.
func readBounds(n *yaml.Node, b *bounds) error {
	read := func(into **payments.Decimal, what string) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			var d payments.Decimal
			*into = &d
			return decimalInto(&d, what)(n)
		}
	}
	err := readFields(n, "bounds", field{"min", false, read(&b.min, "min")}, field{"max", false, read(&b.max, "max")})
	if err == nil && b.min != nil && b.max != nil && b.min.Cmp(*b.max) > 0 {
		err = at(n, "bounds are reversed: the least amount %s is above the greatest, %s", b.min, b.max)
	}
	return err
}
