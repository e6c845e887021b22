package routes

import "github.com/payctl/payctl/internal/payments"

// Select answers a route selection (specification heading "Update transfer route selection"). It echoes the selection,
// lists the sources from which the selected destination can be reached and the destinations that the selected source
// can reach, and the routes that match both with their terms in parallel, all in the catalogue's order. A side that is
// nil or empty matches everything. No list is nil. What it points to is shared: read only.
func (c *Catalogue) Select(s payments.RouteSelection) payments.TransferInfo {
	info := payments.TransferInfo{
		SelectedSource: s.SelectedSource, SelectedDestination: s.SelectedDestination,
		AvailableSources: []payments.AvailableEndpoint{}, AvailableDestinations: []payments.AvailableEndpoint{},
		Routes: []payments.TransferRoute{}, TransactionsInfo: []payments.TransactionInfo{},
	}
	reaching, reached := map[string]bool{}, map[string]bool{} // by the names of endpoints
	for i := range c.routes {
		r := &c.routes[i]
		from, to := r.Source.matches(s.SelectedSource), r.Destination.matches(s.SelectedDestination)
		if to {
			reaching[r.Source.String()] = true
		}
		if from {
			reached[r.Destination.String()] = true
		}
		if from && to {
			info.Routes = append(info.Routes, r.TransferRoute)
			info.TransactionsInfo = append(info.TransactionsInfo, r.Terms)
		}
	}
	for i := range c.endpoints {
		e := &c.endpoints[i]
		available := payments.AvailableEndpoint{
			Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider,
			MinAmount: e.min, MaxAmount: e.max, Decimals: &e.Decimals,
		}
		if reaching[e.String()] {
			info.AvailableSources = append(info.AvailableSources, available)
		}
		if reached[e.String()] {
			info.AvailableDestinations = append(info.AvailableDestinations, available)
		}
	}
	return info
}

// matches reports whether a selected endpoint matches.
func (e *Endpoint) matches(wanted *payments.RouteEndpoint) bool {
	return wanted.Matches(e.Rail, e.Currency, e.Provider)
}
