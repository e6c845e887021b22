package routes

import "github.com/payctl/payctl/internal/payments"

// Select answers a route selection (specification heading "Update transfer route selection"). It repeats the
// selection. It lists the sources that reach the selected destination, and the destinations that the selected source
// reaches. It lists the routes that match both, with their terms at the same index. All lists are in the catalogue's
// order, and none is nil. A side that is nil or empty matches everything. The result shares data with the catalogue:
// read only.
func (c *Catalogue) Select(s payments.RouteSelection) payments.TransferInfo {
	info := payments.TransferInfo{
		SelectedSource: s.SelectedSource, SelectedDestination: s.SelectedDestination,
		AvailableSources: []payments.AvailableEndpoint{}, AvailableDestinations: []payments.AvailableEndpoint{},
		Routes: []payments.TransferRoute{}, TransactionsInfo: []payments.TransactionInfo{},
	}
	reaching, reached := map[string]bool{}, map[string]bool{} // by Endpoint.String
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

func (e *Endpoint) matches(wanted *payments.RouteEndpoint) bool {
	return wanted.Matches(e.Rail, e.Currency, e.Provider)
}
