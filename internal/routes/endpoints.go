package routes

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/payments/coordinates"
)

// An endpoint is an Endpoint with what only loading and pricing need.
type endpoint struct {
	Endpoint
	// source and destination are its bounds on this side of a route, in its own currency; neither bound is nil.
	source, destination bounds
	// incoming narrows the bounds of every route that leads here.
	incoming bounds
	// fee is the fixed fee of a transfer here, on either side.
	fee  payments.Fee
	node *yaml.Node
}

func (d *document) readEndpoints(n *yaml.Node) error {
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
			return at(item, "%s is there twice, first on line %d; a rail and currency have one provider", e, line)
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
			return nameInto(&e.Rail, "rail", d.railNames)(n)
		}},
		field{"currency", true, nameInto(&e.Currency, "currency", d.currencyNames)},
		field{"provider", true, nameInto(&e.Provider, "provider", d.providerNames)},
		field{"source", false, sideInto(&e.IsSource, &outgoing, "source")},
		field{"destination", false, sideInto(&e.IsDestination, &e.incoming, "destination")},
	)
	if err != nil {
		return e, err
	}
	if known := coordinates.Rails(); e.IsDestination && !slices.Contains(known, e.Rail) {
		return e, at(rail,
			"no transfer can be sent to %s: contacts are saved on the rails %s alone; write destination: false",
			e, strings.Join(known, ", "))
	}
	c := d.currencies[e.Currency]
	e.Kind, e.SettlementSeconds = d.rails[e.Rail].Kind, d.rails[e.Rail].SettlementSeconds
	e.Decimals = c.decimals
	if decimals, ok := c.on[e.Rail]; ok {
		e.Decimals = decimals
	}
	if e.source, err = e.boundsOf(c, outgoing); err != nil {
		return e, err
	}
	if e.destination, err = e.boundsOf(c, e.incoming); err != nil {
		return e, err
	}
	if _, ok := d.rates[e.Currency]; !ok {
		return e, at(n, "there is no rate between %s and %s; add one such as \"1 %s = 1.25 %s\" to rates",
			d.fees.currency, e.Currency, e.Currency, d.fees.currency)
	}
	e.fee = payments.Fee{Type: feeNetwork, Currency: e.Currency}
	amount := d.fees.network
	if e.Kind == KindFiat {
		e.fee.Type, amount = feeBank, d.fees.bank
	}
	e.fee.Amount = new(d.rates.convertUp(amount, d.fees.currency, e.Currency, e.Decimals))
	return e, nil
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

// boundsOf returns the bounds of a currency, with those that the endpoint sets instead.
func (e endpoint) boundsOf(c currency, set bounds) (bounds, error) {
	own := c.bounds
	if set.min != nil {
		own.min = set.min
	}
	if set.max != nil {
		own.max = set.max
	}
	if own.min.Cmp(*own.max) > 0 {
		return own, at(e.node, "the bounds of %s are reversed: the least amount %s is above the greatest, %s",
			e, own.min, own.max)
	}
	for _, bound := range []*payments.Decimal{own.min, own.max} {
		if bound.Places() > e.Decimals {
			return own, at(e.node, "the bound %s has more decimals than %s, which has %d", bound, e, e.Decimals)
		}
	}
	return own, nil
}

// available returns the endpoint as one side of a route selection.
func (e endpoint) available(b bounds) payments.AvailableEndpoint {
	return payments.AvailableEndpoint{
		Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider,
		MinAmount: *b.min, MaxAmount: *b.max, Decimals: e.Decimals,
	}
}
