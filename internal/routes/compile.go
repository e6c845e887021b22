package routes

import (
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// A link is the indexes of a route's source and destination endpoints.
type link struct{ source, destination int }

// compile makes all routes of a checked document.
func compile(d *document) (*Catalogue, error) {
	rates, err := readRates(d)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{byKey: map[string]int{}}
	for i, o := range d.Endpoints {
		e, err := newEndpoint(d, rates, o)
		if err != nil {
			return nil, wrong("endpoints", i, "%w", err)
		}
		c.endpoints = append(c.endpoints, e)
	}
	owners, err := match(d, c.endpoints)
	if err != nil {
		return nil, err
	}
	for i, source := range c.endpoints {
		for j, destination := range c.endpoints {
			owner, ok := owners[link{i, j}]
			if !ok {
				continue
			}
			route, err := newRoute(d, rates, d.Routes[owner].Flow, source, destination)
			if err != nil {
				return nil, wrong("routes", owner, "route %s: %w", route.RouteKey, err)
			}
			c.byKey[route.RouteKey] = len(c.routes)
			c.routes, c.links = append(c.routes, route), append(c.links, link{i, j})
		}
	}
	c.encoded = sync.OnceValue(c.encodeAll) // a service starts faster without
	c.all = sync.OnceValue(func() jsontext.Value { return c.answer(payments.RouteSelection{}) })
	return c, nil
}

// encodeAll encodes what Select lists.
func (c *Catalogue) encodeAll() (e encoded) {
	for _, of := range c.endpoints {
		e.endpoints = append(e.endpoints, encode(payments.AvailableEndpoint{
			Currency: of.Currency, PaymentRail: of.Rail, Provider: of.Provider,
			MinAmount: of.min, MaxAmount: of.max, Decimals: &of.Decimals,
		}))
	}
	for i := range c.routes {
		e.routes = append(e.routes, encode(c.routes[i].TransferRoute))
		e.terms = append(e.terms, encode(c.routes[i].Terms))
	}
	return e
}

// encode returns a value of the contract in JSON, which is always possible.
func encode(value any) []byte {
	text, _ := payments.Encode(value)
	return text
}

func newEndpoint(d *document, rates rates, o offer) (e Endpoint, err error) {
	rail, currency := d.Rails[o.Rail], d.Currencies[o.Currency]
	e = Endpoint{
		Rail: o.Rail, Currency: o.Currency, Provider: o.Provider, Kind: rail.Kind,
		Decimals: *currency.Decimals, SettlementSeconds: rail.Settlement,
		IsSource: o.Source == nil || *o.Source, IsDestination: o.Destination == nil || *o.Destination,
		min: *currency.Bounds.Min.Decimal, max: *currency.Bounds.Max.Decimal,
	}
	if decimals, differs := currency.DecimalsOn[o.Rail]; differs {
		e.Decimals = decimals
	}
	for _, bound := range []money.Decimal{e.min, e.max} {
		if bound.Places() > e.Decimals {
			return e, fmt.Errorf("the bound %s has more decimals than %s, which has %d", bound, e, e.Decimals)
		}
	}
	e.min, e.max = e.min.Written(e.Decimals), e.max.Written(e.Decimals)
	if _, ok := rates[e.Currency]; !ok {
		return e, fmt.Errorf("the rate between %s and %s is missing; add one such as \"1 %s = 1.25 %s\" to rates",
			d.Fees.Currency, e.Currency, e.Currency, d.Fees.Currency)
	}
	e.fee = payments.Fee{Type: feeNetwork, Currency: e.Currency}
	fee := d.Fees.Network
	if e.Kind == RailFiat {
		e.fee.Type, fee = feeBank, d.Fees.Bank
	}
	e.fee.Amount = new(rates.convertUp(*fee.Decimal, d.Fees.Currency, e.Currency, e.Decimals).Written(e.Decimals))
	return e, nil
}

// match returns the index of the rule that makes the route of each pair of endpoints.
func match(d *document, endpoints []Endpoint) (owners map[link]int, err error) {
	owners = map[link]int{}
	for index, r := range d.Routes {
		before := len(owners)
		for i, source := range endpoints {
			for j, destination := range endpoints {
				if !r.makes(source, destination) {
					continue
				}
				if _, taken := owners[link{i, j}]; taken {
					return nil, wrong("routes", index, "an earlier rule makes the route %s; narrow one of them",
						routeKey(source, destination))
				}
				owners[link{i, j}] = index
			}
		}
		switch {
		case len(owners) == before:
			return nil, wrong("routes", index, "this rule makes no route: no source and destination match it")
		case len(owners) > maxRoutes:
			return nil, wrong("routes", index, "the rules up to this one make more than %d routes", maxRoutes)
		}
	}
	return owners, nil
}

// makes reports whether a rule makes a route of two endpoints: each matches its pattern, and they satisfy Same and
// Different.
func (r rule) makes(from, to Endpoint) bool {
	equal := func(part string) bool { return partOf(from, part) == partOf(to, part) }
	return from.IsSource && to.IsDestination && r.From.fits(from) && r.To.fits(to) &&
		!slices.ContainsFunc(r.Different, equal) &&
		!slices.ContainsFunc(r.Same, func(part string) bool { return !equal(part) })
}

func (p pattern) fits(e Endpoint) bool {
	allows := func(names words, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	return (p.Kind == "" || p.Kind == e.Kind) &&
		allows(p.Rail, e.Rail) && allows(p.Currency, e.Currency) && allows(p.Provider, e.Provider)
}

// The parts of an endpoint that a rule can compare.
const (
	partRail     = "rail"
	partCurrency = "currency"
	partProvider = "provider"
)

func partOf(e Endpoint, part string) string {
	switch part {
	case partRail:
		return e.Rail
	case partCurrency:
		return e.Currency
	}
	return e.Provider
}

func routeKey(source, destination Endpoint) string {
	return payments.RouteKey{
		SourceRail: source.Rail, SourceCurrency: source.Currency,
		DestinationRail: destination.Rail, DestinationCurrency: destination.Currency,
	}.String()
}

func newRoute(d *document, rates rates, flow payments.FlowType, source, destination Endpoint) (route Route, err error) {
	route = Route{
		TransferRoute: payments.TransferRoute{
			RouteKey: routeKey(source, destination), FlowType: flow, Provider: source.Provider,
		},
		Source: source, Destination: destination,
	}
	if source.Kind == RailChain && destination.Kind == RailFiat { // the provider of the fiat side, if there is one
		route.Provider = destination.Provider
	}
	if route.price, err = newPricing(d, rates, source, destination); err != nil {
		return route, err
	}
	least := route.price.sourceFor(money.Unit(destination.Decimals))
	if least.Cmp(source.min) < 0 {
		least = source.min
	}
	route.Terms = payments.TransactionInfo{
		RouteKey:                   route.RouteKey,
		MinAmount:                  least.Written(source.Decimals),
		MaxAmount:                  source.max,
		Fees:                       route.price.terms(),
		ExchangeRate:               route.price.rate,
		EstimatedSettlementSeconds: source.SettlementSeconds + destination.SettlementSeconds,
		KYCRequired:                true,
	}
	return route, route.price.check(least, source.max)
}
