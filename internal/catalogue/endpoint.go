package catalogue

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/payments/coordinates"
)

// An endpoint is an Endpoint with what only pricing and loading need of it.
type endpoint struct {
	Endpoint
	// source and destination are the bounds as that side, complete, in the endpoint's own currency.
	source, destination bounds
	// incoming narrows every route that leads here.
	incoming bounds
	// fee is the fixed fee of a transfer's side here, whichever side it is.
	fee  payments.Fee
	node *yaml.Node
}

func readEndpoints(n *yaml.Node, d *document) error {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		return at(n, "endpoints is an empty list; a catalogue has at least one")
	}
	seen := map[endpointKey]int{}
	return readItems(n, "endpoints", func(item *yaml.Node) error {
		e, err := readEndpoint(item, d)
		if err != nil {
			return err
		}
		key := endpointKey{e.Rail, e.Currency}
		if line, ok := seen[key]; ok {
			return at(item, "%s:%s is there twice, first on line %d; a rail and currency have one provider", e.Rail, e.Currency, line)
		}
		seen[key] = item.Line
		d.endpoints = append(d.endpoints, e)
		return nil
	})
}

func readEndpoint(n *yaml.Node, d *document) (endpoint, error) {
	e := endpoint{Endpoint: Endpoint{IsSource: true, IsDestination: true}, node: n}
	var outgoing bounds
	var rail *yaml.Node
	err := readFields(n, "an endpoint",
		field{"rail", true, func(n *yaml.Node) error {
			rail = n
			return readName(n, "rail", d.railNames, &e.Rail)
		}},
		field{"currency", true, func(n *yaml.Node) error { return readName(n, "currency", d.currencyNames, &e.Currency) }},
		field{"provider", true, func(n *yaml.Node) error { return readName(n, "provider", d.providerNames, &e.Provider) }},
		field{"source", false, sideInto(&e.IsSource, &outgoing, "source")},
		field{"destination", false, sideInto(&e.IsDestination, &e.incoming, "destination")},
	)
	if err != nil {
		return e, err
	}
	if known := coordinates.Rails(); e.IsDestination && !slices.Contains(known, e.Rail) {
		return e, at(rail, "no transfer can be sent to %s: contacts are saved on the rails %s alone; write destination: false", e, strings.Join(known, ", "))
	}
	c := d.currencies[e.Currency]
	e.Kind, e.SettlementSeconds = d.rails[e.Rail].Kind, d.rails[e.Rail].SettlementSeconds
	e.Decimals = c.decimals
	if decimals, ok := c.on[e.Rail]; ok {
		e.Decimals = decimals
	}
	if e.source, err = e.narrow(c.bounds, outgoing); err != nil {
		return e, err
	}
	if e.destination, err = e.narrow(c.bounds, e.incoming); err != nil {
		return e, err
	}
	e.fee, err = e.fixedFee(d)
	return e, err
}

// fixedFee converts the fee for the endpoint's kind of rail. It holds every endpoint to have a rate with the currency of
// the fees; any two endpoints have one between them, then.
func (e endpoint) fixedFee(d *document) (payments.Fee, error) {
	if !d.rates.known(d.fees.currency, e.Currency) {
		return payments.Fee{}, at(e.node, "there is no rate between %s and %s; add one such as \"1 %s = 1.25 %s\" to rates",
			d.fees.currency, e.Currency, e.Currency, d.fees.currency)
	}
	name, amount := d.fees.fixed(e.Kind)
	amount = d.rates.convertUp(amount, d.fees.currency, e.Currency, e.Decimals)
	return payments.Fee{Type: name, Currency: e.Currency, Amount: &amount}, nil
}

// sideInto reads true, false, or bounds, which imply true.
func sideInto(is *bool, b *bounds, what string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind == yaml.MappingNode {
			return readBounds(n, b)
		}
		if err := boolInto(is, what)(n); err != nil {
			return at(n, "%s must be true, false or bounds such as { max: 100.00 }", what)
		}
		return nil
	}
}

// narrow is the bounds of the currency with those that the endpoint sets in their place.
func (e endpoint) narrow(own, set bounds) (bounds, error) {
	if set.min != nil {
		own.min = set.min
	}
	if set.max != nil {
		own.max = set.max
	}
	if own.min.Cmp(*own.max) > 0 {
		return own, at(e.node, "the bounds of %s are reversed: the least amount %s is above the greatest, %s", e, own.min, own.max)
	}
	for _, bound := range []*payments.Decimal{own.min, own.max} {
		if bound.Places() > e.Decimals {
			return own, at(e.node, "the bound %s has more decimals than %s, which has %d", bound, e, e.Decimals)
		}
	}
	return own, nil
}

// available is the endpoint as a side that can be chosen.
func (e endpoint) available(b bounds) payments.AvailableEndpoint {
	return payments.AvailableEndpoint{
		Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider,
		MinAmount: *b.min, MaxAmount: *b.max, Decimals: e.Decimals,
	}
}
