package routes

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

// Select answers a route selection with a payments.TransferInfo (specification heading "Update transfer route
// selection"). It echoes the selection, lists the sources from which the selected destination can be reached and the
// destinations that the selected source can reach, and the routes that match both with their terms in parallel, all in
// the catalogue's order. A side that is nil or empty matches everything. No list is null. The caller must not change
// the answer.
func (c *Catalogue) Select(s payments.RouteSelection) jsontext.Value {
	if s == (payments.RouteSelection{}) {
		return c.all()
	}
	return c.answer(s)
}

// answer makes the answer of Select.
func (c *Catalogue) answer(s payments.RouteSelection) jsontext.Value {
	from, to := c.matching(s.SelectedSource), c.matching(s.SelectedDestination)
	sources, destinations, routes := make([]bool, len(from)), make([]bool, len(to)), make([]bool, len(c.routes))
	for i, l := range c.links {
		sources[l.source] = sources[l.source] || to[l.destination]
		destinations[l.destination] = destinations[l.destination] || from[l.source]
		routes[i] = from[l.source] && to[l.destination]
	}
	selected := encode(struct {
		Source      *payments.RouteEndpoint `json:"selectedSource"`
		Destination *payments.RouteEndpoint `json:"selectedDestination"`
	}{s.SelectedSource, s.SelectedDestination})
	encoded := c.encoded()
	room := size(encoded.endpoints, sources) + size(encoded.endpoints, destinations) +
		size(encoded.routes, routes) + size(encoded.terms, routes)
	text := slices.Grow(selected[:len(selected)-1], room+128) // for the lists and their names
	text = appendList(text, "availableSources", encoded.endpoints, sources)
	text = appendList(text, "availableDestinations", encoded.endpoints, destinations)
	text = appendList(text, "routes", encoded.routes, routes)
	text = appendList(text, "transactionsInfo", encoded.terms, routes)
	return append(text, '}')
}

// appendList appends a member of an object that is a list of those elements that are listed.
func appendList(to []byte, name string, elements [][]byte, listed []bool) []byte {
	to = append(append(append(to, `,"`...), name...), `":[`...)
	empty := len(to)
	for i, element := range elements {
		if !listed[i] {
			continue
		}
		if len(to) > empty {
			to = append(to, ',')
		}
		to = append(to, element...)
	}
	return append(to, ']')
}

// size returns how many bytes the listed elements take, each with a comma.
func size(elements [][]byte, listed []bool) (bytes int) {
	for i, element := range elements {
		if listed[i] {
			bytes += len(element) + 1
		}
	}
	return bytes
}

// matching reports which endpoints match a selected one.
func (c *Catalogue) matching(selected *payments.RouteEndpoint) []bool {
	match := make([]bool, len(c.endpoints))
	for i := range c.endpoints {
		e := &c.endpoints[i]
		match[i] = selected.Matches(e.Rail, e.Currency, e.Provider)
	}
	return match
}
