package routes

import (
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/payments"
)

// A selection is what Select answers from: the endpoints as they are on either side of a route, whether or not they can
// be that side, and the link of each route.
type selection struct {
	sources, destinations []payments.AvailableEndpoint
	links                 []link
	all                   payments.TransferInfo // answers the selection that matches everything
}

// A link is the positions of a route's source and destination among the endpoints.
type link struct{ source, destination int }

// addSelection fills in the selection, for routes with links. It refuses an endpoint that can be a side of routes but is
// on none: the likeliest reason is a mistake in a rule.
func (c *Catalogue) addSelection(d *document, endpoints []endpoint, links []link) error {
	s := &c.selection
	s.links = links
	var isSource, isDestination [maxNames]bool
	for _, l := range links {
		isSource[l.source], isDestination[l.destination] = true, true
	}
	for i, e := range endpoints {
		if e.IsSource && !isSource[i] {
			return d.at("endpoints", strconv.Itoa(i), "no route starts at %s; add a rule for it or write source: false", e)
		}
		if e.IsDestination && !isDestination[i] {
			return d.at("endpoints", strconv.Itoa(i), "no route leads to %s; add a rule for it or write destination: false", e)
		}
		s.sources = append(s.sources, e.available(e.source))
		s.destinations = append(s.destinations, e.available(e.destination))
	}
	s.all = c.match(payments.RouteSelection{})
	return nil
}

// Select answers a route selection (specification heading "Update transfer route selection"). It echoes the selection,
// lists the sources from which the selected destination can be reached and the destinations that the selected source
// can reach, and the routes that match both with their terms in parallel, all in the catalogue's order. A side that is
// nil or empty matches everything. No list is nil. The lists may be shared between calls: read only.
func (c *Catalogue) Select(s payments.RouteSelection) payments.TransferInfo {
	if !matchesAll(s.SelectedSource) || !matchesAll(s.SelectedDestination) {
		return c.match(s)
	}
	info := c.selection.all
	info.SelectedSource, info.SelectedDestination = s.SelectedSource, s.SelectedDestination
	return info
}

func matchesAll(wanted *payments.RouteEndpoint) bool {
	return wanted == nil || *wanted == payments.RouteEndpoint{}
}

// match answers any selection by trying every route.
func (c *Catalogue) match(s payments.RouteSelection) payments.TransferInfo {
	all := &c.selection
	from, to := matching(all.sources, s.SelectedSource), matching(all.destinations, s.SelectedDestination)
	var reaching, reached [maxNames]bool
	info := payments.TransferInfo{
		SelectedSource: s.SelectedSource, SelectedDestination: s.SelectedDestination,
		Routes: []payments.TransferRoute{}, TransactionsInfo: []payments.TransactionInfo{},
	}
	for i, l := range all.links {
		reaching[l.source] = reaching[l.source] || to[l.destination]
		reached[l.destination] = reached[l.destination] || from[l.source]
		if from[l.source] && to[l.destination] {
			info.Routes = append(info.Routes, c.routes[i].TransferRoute)
			info.TransactionsInfo = append(info.TransactionsInfo, c.routes[i].Terms)
		}
	}
	info.Routes, info.TransactionsInfo = slices.Clip(info.Routes), slices.Clip(info.TransactionsInfo)
	info.AvailableSources, info.AvailableDestinations = those(all.sources, reaching), those(all.destinations, reached)
	return info
}

// matching returns which endpoints a selected one matches, by position.
func matching(endpoints []payments.AvailableEndpoint, wanted *payments.RouteEndpoint) (is [maxNames]bool) {
	for i := range endpoints {
		e := &endpoints[i]
		is[i] = wanted.Matches(e.PaymentRail, e.Currency, e.Provider)
	}
	return is
}

// those returns the endpoints at positions. Their list has no room, so that no caller can append to a shared one, which
// that of all endpoints is.
func those(endpoints []payments.AvailableEndpoint, is [maxNames]bool) []payments.AvailableEndpoint {
	if !slices.Contains(is[:len(endpoints)], false) {
		return slices.Clip(endpoints)
	}
	list := make([]payments.AvailableEndpoint, 0, len(endpoints))
	for i := range endpoints {
		if is[i] {
			list = append(list, endpoints[i])
		}
	}
	return slices.Clip(list)
}
