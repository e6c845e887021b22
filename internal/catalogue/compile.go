package catalogue

import (
	"github.com/payctl/payctl/internal/payments"
)

// noRule marks a pair of endpoints without a route.
const noRule = -1

// compile makes every route of a document, once.
func compile(d *document) (*Catalogue, error) {
	owners, total, err := match(d)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{
		endpoints: make(map[endpointKey]Endpoint, len(d.endpoints)),
		routes:    make([]Route, 0, total),
		byKey:     make(map[string]int, total),
	}
	for _, name := range d.railNames {
		c.rails = append(c.rails, d.rails[name])
	}
	for _, e := range d.endpoints {
		c.endpoints[endpointKey{e.Rail, e.Currency}] = e.Endpoint
	}
	links := make([]link, 0, total)
	for i, row := range owners {
		for j, owner := range row {
			if owner == noRule {
				continue
			}
			route, err := newRoute(d, d.rules[owner], d.endpoints[i], d.endpoints[j])
			if err != nil {
				return nil, err
			}
			c.byKey[route.RouteKey] = len(c.routes)
			c.routes = append(c.routes, route)
			links = append(links, link{i, j})
		}
	}
	if err := checkUsed(d.endpoints, links); err != nil {
		return nil, err
	}
	c.selection = newSelection(d.endpoints, links, c.routes)
	return c, nil
}

// A link is the positions of a route's source and destination among the endpoints.
type link struct{ source, destination int }

// match finds the rule of each pair of endpoints, owners[source][destination], and counts the pairs that have one.
func match(d *document) (owners [][]int, total int, err error) {
	owners = make([][]int, len(d.endpoints))
	for i := range owners {
		owners[i] = make([]int, len(d.endpoints))
		for j := range owners[i] {
			owners[i][j] = noRule
		}
	}
	for index, r := range d.rules {
		made, err := r.claim(d, index, r.from, r.to, owners)
		if err == nil && r.bothWays {
			var back int
			back, err = r.claim(d, index, r.to, r.from, owners)
			made += back
		}
		if err != nil {
			return nil, 0, err
		}
		if made == 0 {
			return nil, 0, at(r.node, "this rule makes no route: no pair of a source and a destination fits it")
		}
		if total += made; total > maxRoutes {
			return nil, 0, at(r.node, "the rules up to this one make more than %d routes", maxRoutes)
		}
	}
	return owners, total, nil
}

// claim marks the pairs that fit a rule in one direction and counts those that it had not before.
func (r rule) claim(d *document, index int, from, to pattern, owners [][]int) (made int, err error) {
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
			owner := owners[i][j]
			switch {
			case !r.fits(source, d.endpoints[j]) || owner == index:
			case owner != noRule:
				return 0, at(r.node, "the route %s is made twice, first by the rule on line %d; narrow one of them",
					routeKey(source, d.endpoints[j]), d.rules[owner].node.Line)
			default:
				owners[i][j] = index
				made++
			}
		}
	}
	return made, nil
}

// checkUsed refuses an endpoint that claims a side which no route gives it: nobody could reach it, and the likeliest
// reason is a slip in a rule.
func checkUsed(endpoints []endpoint, links []link) error {
	starts, ends := make([]bool, len(endpoints)), make([]bool, len(endpoints))
	for _, l := range links {
		starts[l.source], ends[l.destination] = true, true
	}
	for i, e := range endpoints {
		if e.IsSource && !starts[i] {
			return at(e.node, "no route starts at %s; add a rule for it or write source: false", e)
		}
		if e.IsDestination && !ends[i] {
			return at(e.node, "no route leads to %s; add a rule for it or write destination: false", e)
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

// provider is the fiat side's; where both are fiat, or neither is, the source's.
func provider(source, destination endpoint) string {
	if source.Kind == KindChain && destination.Kind == KindFiat {
		return destination.Provider
	}
	return source.Provider
}

func newRoute(d *document, r rule, source, destination endpoint) (Route, error) {
	route := Route{
		Route: payments.Route{
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
	route.Terms, err = terms(route, source.source, destination.incoming)
	if err != nil {
		return route, at(r.node, "route %s: %v", route.RouteKey, err)
	}
	return route, nil
}

// terms are the element of transactionsInfo. Bounds of the destination count in the source currency as they are, cut to
// amounts that it has.
func terms(r Route, own, incoming bounds) (payments.TransactionInfo, error) {
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
