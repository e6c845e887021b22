package catalogue

import (
	"github.com/payctl/payctl/internal/payments"
)

// A selection holds the answers to route selection, made once, so that the usual questions are answered by slicing.
// Endpoints and routes are named by their positions.
type selection struct {
	sources, destinations side
	routes                []payments.Route
	terms                 []payments.TransactionInfo
	// ends[r] is the destination of route r; starts[s] is the first route of source s, and starts[s+1] is past its last.
	ends, starts []int
	// positions is 0, 1, 2, …: a part of it is the list of one endpoint or of all.
	positions []int
}

// A side is the endpoints that can be one side of a route.
type side struct {
	available []payments.AvailableEndpoint
	index     map[endpointKey]int
	// partners[e] are the positions on the other side to which a route links e; reachable[e] are those endpoints.
	partners  [][]int
	reachable [][]payments.AvailableEndpoint
}

// newSelection takes links and routes in parallel, ordered by source.
func newSelection(endpoints []endpoint, links []link, routes []Route) selection {
	s := selection{sources: side{index: map[endpointKey]int{}}, destinations: side{index: map[endpointKey]int{}}}
	sourceAt, destinationAt := make([]int, len(endpoints)), make([]int, len(endpoints))
	for i, e := range endpoints {
		s.positions = append(s.positions, i)
		if e.IsSource {
			sourceAt[i] = s.sources.add(e.available(e.source))
		}
		if e.IsDestination {
			destinationAt[i] = s.destinations.add(e.available(e.destination))
		}
	}
	s.starts = make([]int, len(s.sources.available)+1)
	for r, l := range links {
		from, to := sourceAt[l.source], destinationAt[l.destination]
		s.sources.partners[from] = append(s.sources.partners[from], to)
		s.destinations.partners[to] = append(s.destinations.partners[to], from)
		s.ends = append(s.ends, to)
		s.starts[from+1] = r + 1
		s.routes = append(s.routes, routes[r].Route)
		s.terms = append(s.terms, routes[r].Terms)
	}
	s.sources.resolve(s.destinations.available)
	s.destinations.resolve(s.sources.available)
	return s
}

func (s *side) add(e payments.AvailableEndpoint) int {
	position := len(s.available)
	s.index[endpointKey{e.PaymentRail, e.Currency}] = position
	s.available, s.partners = append(s.available, e), append(s.partners, nil)
	return position
}

func (s *side) resolve(other []payments.AvailableEndpoint) {
	for _, partners := range s.partners {
		reachable := make([]payments.AvailableEndpoint, len(partners))
		for i, p := range partners {
			reachable[i] = other[p]
		}
		s.reachable = append(s.reachable, reachable)
	}
}

// Select answers a route selection (specification heading "Update transfer route selection"). It echoes the selection,
// lists the sources from which the selected destination can be reached and the destinations that the selected source
// can reach, and the routes that match both with their terms in parallel, all in the catalogue's order. A side that is
// nil or empty matches everything. No list is nil. The lists are shared between calls: read only.
func (c *Catalogue) Select(s payments.RouteSelection) payments.TransferInfo {
	all := &c.selection
	from := all.find(&all.sources, s.SelectedSource)
	to := all.find(&all.destinations, s.SelectedDestination)
	info := payments.TransferInfo{
		SelectedSource:        s.SelectedSource,
		SelectedDestination:   s.SelectedDestination,
		AvailableSources:      linked(&all.sources, &all.destinations, to),
		AvailableDestinations: linked(&all.destinations, &all.sources, from),
	}
	info.Routes, info.TransactionsInfo = all.between(from, to)
	return info
}

// find lists the positions that a selected endpoint leaves on a side.
func (s *selection) find(on *side, wanted *payments.RouteEndpoint) []int {
	if wanted == nil || wanted.PaymentRail == nil && wanted.Currency == nil && wanted.Provider == nil {
		return s.positions[:len(on.available)]
	}
	if wanted.PaymentRail != nil && wanted.Currency != nil {
		i, ok := on.index[endpointKey{*wanted.PaymentRail, *wanted.Currency}]
		if !ok || wanted.Provider != nil && *wanted.Provider != on.available[i].Provider {
			return nil
		}
		return s.positions[i : i+1]
	}
	var found []int
	for i, e := range on.available {
		if wanted.Matches(e.PaymentRail, e.Currency, e.Provider) {
			found = append(found, i)
		}
	}
	return found
}

// linked lists the endpoints of a side to which a route links one of those selected on the other side.
func linked(of, other *side, selected []int) []payments.AvailableEndpoint {
	switch len(selected) {
	case 0:
		return []payments.AvailableEndpoint{}
	case 1:
		return clip(other.reachable[selected[0]])
	case len(other.available):
		return clip(of.available) // Every endpoint is on some route.
	}
	var is [maxNames]bool
	count := 0
	for _, i := range selected {
		for _, p := range other.partners[i] {
			if !is[p] {
				is[p] = true
				count++
			}
		}
	}
	list := make([]payments.AvailableEndpoint, 0, count)
	for p, e := range of.available {
		if is[p] {
			list = append(list, e)
		}
	}
	return list
}

// between lists the routes from and to the selected endpoints.
func (s *selection) between(from, to []int) ([]payments.Route, []payments.TransactionInfo) {
	if len(to) == len(s.destinations.available) {
		switch len(from) {
		case len(s.sources.available):
			return clip(s.routes), clip(s.terms)
		case 1:
			first, end := s.starts[from[0]], s.starts[from[0]+1]
			return clip(s.routes[first:end]), clip(s.terms[first:end])
		}
	}
	var is [maxNames]bool
	for _, i := range to {
		is[i] = true
	}
	count, only := 0, 0
	for _, i := range from {
		for r := s.starts[i]; r < s.starts[i+1]; r++ {
			if is[s.ends[r]] {
				count, only = count+1, r
			}
		}
	}
	if count == 1 {
		return clip(s.routes[only : only+1]), clip(s.terms[only : only+1])
	}
	routes, terms := make([]payments.Route, 0, count), make([]payments.TransactionInfo, 0, count)
	for _, i := range from {
		for r := s.starts[i]; r < s.starts[i+1]; r++ {
			if is[s.ends[r]] {
				routes, terms = append(routes, s.routes[r]), append(terms, s.terms[r])
			}
		}
	}
	return routes, terms
}

// clip keeps an append by the caller from writing into the list behind it.
func clip[T any](list []T) []T { return list[:len(list):len(list)] }
