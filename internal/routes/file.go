package routes

import (
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// Limits of a catalogue, so that a small file cannot cause unbounded work.
const (
	maxNames   = 256 // of each kind: currencies, rails, providers, endpoints, rules
	maxRoutes  = 20_000
	maxSeconds = 365 * 24 * 60 * 60
)

// A document is the content of a catalogue file.
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

// bounds are a least and a greatest amount; nil: not set.
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

// readDocument reads the parts of a file in the order in which they refer to each other, wherever they stand in it.
func readDocument(root *yaml.Node) (*document, error) {
	d := &document{currencies: map[string]currency{}, rails: map[string]Rail{}}
	return d, readFields(root, "a catalogue",
		field{"rails", true, d.readRails}, field{"providers", true, d.readProviders},
		field{"bounds", true, d.readDefaultBounds}, field{"currencies", true, d.readCurrencies},
		field{"fees", true, d.readFees}, field{"rates", true, d.readRates},
		field{"endpoints", true, d.readEndpoints}, field{"routes", true, d.readRules},
	)
}

func (d *document) readRails(n *yaml.Node) error {
	return readNamed(n, "rails", &d.railNames, railForm, func(key, value *yaml.Node) error {
		rail := Rail{Name: key.Value}
		err := readFields(value, "rail "+rail.Name,
			field{"kind", true, kindInto(&rail.Kind)},
			field{"settlement", true, wholeInto(&rail.SettlementSeconds, "settlement", maxSeconds)},
		)
		d.rails[rail.Name] = rail
		return err
	})
}

func kindInto(into *Kind) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		word, err := text(n, "kind")
		if err == nil && word != string(KindFiat) && word != string(KindChain) {
			err = at(n, "kind must be %s or %s, not %.40q", KindFiat, KindChain, word)
		}
		*into = Kind(word)
		return err
	}
}

func (d *document) readProviders(n *yaml.Node) error {
	return readItems(n, "providers", func(item *yaml.Node) error {
		name, err := text(item, "a provider")
		if err == nil && !railForm.has(name) {
			err = at(item, "a provider's name must be %s, not %.40q", railForm.words, name)
		}
		d.providerNames = append(d.providerNames, name)
		return err
	})
}

func (d *document) readCurrencies(n *yaml.Node) error {
	return readNamed(n, "currencies", &d.currencyNames, currencyForm, func(key, value *yaml.Node) error {
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

func (d *document) readFees(n *yaml.Node) error {
	f := &d.fees
	return readFields(n, "fees",
		field{"currency", true, nameInto(&f.currency, "currency", d.currencyNames)},
		field{"bank", true, decimalInto(&f.bank, "bank")},
		field{"network", true, decimalInto(&f.network, "network")},
		field{"conversion", true, func(n *yaml.Node) error {
			err := decimalInto(&f.conversion, "conversion")(n)
			if err == nil && f.conversion.Cmp(payments.Unit(0)) >= 0 {
				err = at(n, "conversion is a share of the amount and must be below 1; 0.0025 is 0.25 %%")
			}
			return err
		}},
	)
}

func (d *document) readDefaultBounds(n *yaml.Node) error {
	err := readBounds(n, &d.bounds)
	if err == nil && (d.bounds.min == nil || d.bounds.max == nil) {
		err = at(n, "bounds must have min and max")
	}
	return err
}

// readBounds replaces those of the bounds that a node has.
func readBounds(n *yaml.Node, b *bounds) error {
	into := func(bound **payments.Decimal, what string) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			*bound = new(payments.Decimal)
			return decimalInto(*bound, what)(n)
		}
	}
	err := readFields(n, "bounds", field{"min", false, into(&b.min, "min")}, field{"max", false, into(&b.max, "max")})
	if err == nil && b.min != nil && b.max != nil && b.min.Cmp(*b.max) > 0 {
		err = at(n, "bounds are reversed: the least amount %s is above the greatest, %s", b.min, b.max)
	}
	return err
}
