package routes

import (
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/payments"
)

// An endpoint is an Endpoint with what only compiling needs.
type endpoint struct {
	Endpoint
	// source and destination are its bounds on this side of a route, in its own currency; neither bound is nil.
	source, destination bounds
	// incoming narrows the bounds of every route that leads here.
	incoming bounds
	// fee is the fixed fee of a transfer here, on either side.
	fee payments.Fee
}

// compile makes all routes of a document that has been checked.
func compile(d *document) (*Catalogue, error) {
	rates, err := readRates(d)
	if err != nil {
		return nil, err
	}
	endpoints := make([]endpoint, len(d.Endpoints))
	for i := range endpoints {
		if endpoints[i], err = newEndpoint(d, rates, i); err != nil {
			return nil, err
		}
	}
	owners, err := match(d, endpoints)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{
		endpoints: make(map[endpointKey]Endpoint, len(endpoints)),
		routes:    make([]Route, 0, len(owners)),
		byKey:     make(map[string]int, len(owners)),
	}
	links := make([]link, 0, len(owners))
	for i, source := range endpoints {
		c.endpoints[endpointKey{source.Rail, source.Currency}] = source.Endpoint
		for j, destination := range endpoints {
			owner, ok := owners[link{i, j}]
			if !ok {
				continue
			}
			route, err := newRoute(d, rates, d.Routes[owner].Flow, source, destination)
			if err != nil {
				return nil, d.at("routes", strconv.Itoa(owner), "route %s: %v", route.RouteKey, err)
			}
			c.byKey[route.RouteKey] = len(c.routes)
			c.routes = append(c.routes, route)
			links = append(links, link{i, j})
		}
	}
	return c, c.addSelection(d, endpoints, links)
}

func newEndpoint(d *document, rates rates, i int) (e endpoint, err error) {
	o := d.Endpoints[i]
	rail, currency := d.Rails[o.Rail], d.Currencies[o.Currency]
	e.Endpoint = Endpoint{
		Rail: o.Rail, Currency: o.Currency, Provider: o.Provider, Kind: rail.Kind,
		Decimals: *currency.Decimals, SettlementSeconds: *rail.Settlement,
		IsSource: !o.Source.excluded, IsDestination: !o.Destination.excluded,
	}
	if decimals, differs := currency.DecimalsOn[o.Rail]; differs {
		e.Decimals = decimals
	}
	e.source, e.destination = o.Source.bounds.within(currency.Bounds), o.Destination.bounds.within(currency.Bounds)
	e.incoming = o.Destination.bounds
	at := func(format string, args ...any) error { return d.at("endpoints", strconv.Itoa(i), format, args...) }
	for _, b := range []*bounds{&e.source, &e.destination} {
		if b.Min.Cmp(*b.Max) > 0 {
			return e, at("the bounds of %s are reversed: the least amount %s is above the greatest, %s", e, b.Min, b.Max)
		}
		for _, bound := range []**payments.Decimal{&b.Min, &b.Max} {
			if (*bound).Places() > e.Decimals {
				return e, at("the bound %s has more decimals than %s, which has %d", *bound, e, e.Decimals)
			}
			*bound = new((*bound).Written(e.Decimals))
		}
	}
	if _, ok := rates[e.Currency]; !ok {
		return e, at("there is no rate between %s and %s; add one such as \"1 %s = 1.25 %s\" to rates",
			d.Fees.Currency, e.Currency, e.Currency, d.Fees.Currency)
	}
	e.fee = payments.Fee{Type: feeNetwork, Currency: e.Currency}
	fee := d.Fees.Network
	if e.Kind == KindFiat {
		e.fee.Type, fee = feeBank, d.Fees.Bank
	}
	e.fee.Amount = new(rates.convertUp(*fee.Decimal, d.Fees.Currency, e.Currency, e.Decimals).Written(e.Decimals))
	return e, nil
}

// match returns the position of the rule that makes the route between two endpoints, for each pair that has one.
func match(d *document, endpoints []endpoint) (owners map[link]int, err error) {
	owners = map[link]int{}
	for index, r := range d.Routes {
		before := len(owners)
		err := r.claim(d, endpoints, index, r.From, r.To, owners)
		if err == nil && r.BothWays {
			err = r.claim(d, endpoints, index, r.To, r.From, owners)
		}
		switch {
		case err != nil:
			return nil, err
		case len(owners) == before:
			return nil, d.at("routes", strconv.Itoa(index),
				"this rule makes no route: no pair of a source and a destination fits it")
		case len(owners) > maxRoutes:
			return nil, d.at("routes", strconv.Itoa(index), "the rules up to this one make more than %d routes", maxRoutes)
		}
	}
	return owners, nil
}

// claim marks the pairs that fit a rule in one direction.
func (r rule) claim(d *document, endpoints []endpoint, index int, from, to pattern, owners map[link]int) error {
	for i, source := range endpoints {
		if !source.IsSource || !from.fits(source) {
			continue
		}
		for j, destination := range endpoints {
			if !destination.IsDestination || !to.fits(destination) || !r.fits(source, destination) {
				continue
			}
			if owner, taken := owners[link{i, j}]; taken && owner != index {
				return d.at("routes", strconv.Itoa(index),
					"the route %s is made twice, first by rule %d of the list; narrow one of them",
					routeKey(source, destination), owner+1)
			}
			owners[link{i, j}] = index
		}
	}
	return nil
}

func (p pattern) fits(e endpoint) bool {
	allows := func(names words, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	return (p.Kind == "" || p.Kind == e.Kind) &&
		allows(p.Rail, e.Rail) && allows(p.Currency, e.Currency) && allows(p.Provider, e.Provider)
}

// fits reports whether two endpoints, each of which fits its pattern, share and differ as the rule wants.
func (r rule) fits(from, to endpoint) bool {
	equal := func(part string) bool { return partOf(from, part) == partOf(to, part) }
	return !slices.ContainsFunc(r.Different, equal) &&
		!slices.ContainsFunc(r.Same, func(part string) bool { return !equal(part) })
}

// The parts of an endpoint that a rule can compare.
const (
	partRail     = "rail"
	partCurrency = "currency"
	partProvider = "provider"
)

func partOf(e endpoint, part string) string {
	switch part {
	case partRail:
		return e.Rail
	case partCurrency:
		return e.Currency
	}
	return e.Provider
}

func routeKey(source, destination endpoint) string {
	return payments.RouteKey{
		SourceRail: source.Rail, SourceCurrency: source.Currency,
		DestinationRail: destination.Rail, DestinationCurrency: destination.Currency,
	}.String()
}

func newRoute(d *document, rates rates, flow payments.FlowType, source, destination endpoint) (Route, error) {
	route := Route{
		TransferRoute: payments.TransferRoute{
			RouteKey: routeKey(source, destination), FlowType: flow, Provider: source.Provider,
		},
		Source:      source.Endpoint,
		Destination: destination.Endpoint,
	}
	if source.Kind == KindChain && destination.Kind == KindFiat { // the provider of the fiat side, if there is one
		route.Provider = destination.Provider
	}
	price, err := newPricing(d, rates, source, destination)
	if err != nil {
		return route, err
	}
	route.price = price
	route.Terms, err = newTerms(route, source.source, destination.incoming)
	return route, err
}

// newTerms returns the route's element of transactionsInfo. Bounds of the destination are amounts of the source
// currency, cut to its decimals.
func newTerms(r Route, own, incoming bounds) (payments.TransactionInfo, error) {
	least, most := *own.Min, *own.Max
	if incoming.Min != nil {
		least = greater(least, incoming.Min.RoundUp(r.Source.Decimals))
	}
	if incoming.Max != nil && incoming.Max.Cmp(most) < 0 {
		most = incoming.Max.Cut(r.Source.Decimals)
	}
	least = greater(least, r.price.sourceFor(payments.Unit(r.Destination.Decimals)))
	info := payments.TransactionInfo{
		RouteKey:                   r.RouteKey,
		MinAmount:                  least.Written(r.Source.Decimals),
		MaxAmount:                  most.Written(r.Source.Decimals),
		Fees:                       r.price.terms(),
		ExchangeRate:               r.price.rate,
		EstimatedSettlementSeconds: r.Source.SettlementSeconds + r.Destination.SettlementSeconds,
		KYCRequired:                true,
	}
	return info, r.price.check(least, most)
}

func greater(a, b payments.Decimal) payments.Decimal {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// available returns the endpoint as one side of a route selection.
func (e endpoint) available(b bounds) payments.AvailableEndpoint {
	return payments.AvailableEndpoint{
		Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider,
		MinAmount: *b.Min, MaxAmount: *b.Max, Decimals: &e.Decimals,
	}
}
