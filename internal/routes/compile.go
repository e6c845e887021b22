package routes

import "github.com/payctl/payctl/internal/payments"

// compile makes all routes of a document.
func compile(d *document) (*Catalogue, error) {
	owners, err := match(d)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{
		endpoints: make(map[endpointKey]Endpoint, len(d.endpoints)),
		routes:    make([]Route, 0, len(owners)),
		byKey:     make(map[string]int, len(owners)),
	}
	links := make([]link, 0, len(owners))
	for i, source := range d.endpoints {
		c.endpoints[endpointKey{source.Rail, source.Currency}] = source.Endpoint
		for j, destination := range d.endpoints {
			owner, ok := owners[link{i, j}]
			if !ok {
				continue
			}
			route, err := newRoute(d, d.rules[owner], source, destination)
			if err != nil {
				return nil, err
			}
			c.byKey[route.RouteKey] = len(c.routes)
			c.routes = append(c.routes, route)
			links = append(links, link{i, j})
		}
	}
	return c, c.addSelection(d.endpoints, links)
}

// match returns the position of the rule that makes the route between two endpoints, for each pair that has one.
func match(d *document) (owners map[link]int, err error) {
	owners = map[link]int{}
	for index, r := range d.rules {
		before := len(owners)
		err := r.claim(d, index, r.from, r.to, owners)
		if err == nil && r.bothWays {
			err = r.claim(d, index, r.to, r.from, owners)
		}
		switch {
		case err != nil:
			return nil, err
		case len(owners) == before:
			return nil, at(r.node, "this rule makes no route: no pair of a source and a destination fits it")
		case len(owners) > maxRoutes:
			return nil, at(r.node, "the rules up to this one make more than %d routes", maxRoutes)
		}
	}
	return owners, nil
}

// claim marks the pairs that fit a rule in one direction.
func (r rule) claim(d *document, index int, from, to pattern, owners map[link]int) error {
	var destinations []int
	for j, e := range d.endpoints {
		if e.IsDestination && to.fits(e) {
			destinations = append(destinations, j)
		}
	}
	for i, source := range d.endpoints {
		if !source.IsSource || !from.fits(source) {
			continue
		}
		for _, j := range destinations {
			if !r.fits(source, d.endpoints[j]) {
				continue
			}
			if owner, taken := owners[link{i, j}]; taken && owner != index {
				return at(r.node, "the route %s is made twice, first by the rule on line %d; narrow one of them",
					routeKey(source, d.endpoints[j]), d.rules[owner].node.Line)
			}
			owners[link{i, j}] = index
		}
	}
	return nil
}

func routeKey(source, destination endpoint) string {
	return payments.RouteKey{
		SourceRail: source.Rail, SourceCurrency: source.Currency,
		DestinationRail: destination.Rail, DestinationCurrency: destination.Currency,
	}.String()
}

// provider returns the provider of the fiat side; if both sides are fiat, or none is, that of the source.
func provider(source, destination endpoint) string {
	if source.Kind == KindChain && destination.Kind == KindFiat {
		return destination.Provider
	}
	return source.Provider
}

func newRoute(d *document, r rule, source, destination endpoint) (Route, error) {
	route := Route{
		TransferRoute: payments.TransferRoute{
			RouteKey: routeKey(source, destination),
			FlowType: r.flow,
			Provider: provider(source, destination),
		},
		Source:      source.Endpoint,
		Destination: destination.Endpoint,
	}
	price, err := newPricing(d, source, destination)
	if err != nil {
		return route, at(r.node, "route %s: %v", route.RouteKey, err)
	}
	route.price = price
	if route.Terms, err = newTerms(route, source.source, destination.incoming); err != nil {
		return route, at(r.node, "route %s: %v", route.RouteKey, err)
	}
	return route, nil
}

// newTerms returns the route's element of transactionsInfo. Bounds of the destination are amounts of the source
// currency, cut to its decimals.
func newTerms(r Route, own, incoming bounds) (payments.TransactionInfo, error) {
	least, most := *own.min, *own.max
	if incoming.min != nil {
		least = greater(least, incoming.min.RoundUp(r.Source.Decimals))
	}
	if incoming.max != nil && incoming.max.Cmp(most) < 0 {
		most = incoming.max.Cut(r.Source.Decimals)
	}
	least = greater(least, r.price.sourceFor(payments.Unit(r.Destination.Decimals)))
	info := payments.TransactionInfo{
		RouteKey:                   r.RouteKey,
		MinAmount:                  least,
		MaxAmount:                  most,
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
