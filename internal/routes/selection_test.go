package routes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// naive answers a selection by trying every route, for comparison.
func naive(c *Catalogue, s payments.RouteSelection) payments.TransferInfo {
	info := payments.TransferInfo{
		SelectedSource: s.SelectedSource, SelectedDestination: s.SelectedDestination,
		AvailableSources: []payments.AvailableEndpoint{}, AvailableDestinations: []payments.AvailableEndpoint{},
		Routes: []payments.TransferRoute{}, TransactionsInfo: []payments.TransactionInfo{},
	}
	matches := func(wanted *payments.RouteEndpoint, e Endpoint) bool {
		return wanted.Matches(e.Rail, e.Currency, e.Provider)
	}
	for _, source := range c.selection.sources {
		for _, r := range c.routes {
			if r.Source.Rail == source.PaymentRail && r.Source.Currency == source.Currency && matches(s.SelectedDestination, r.Destination) {
				info.AvailableSources = append(info.AvailableSources, source)
				break
			}
		}
	}
	for _, destination := range c.selection.destinations {
		for _, r := range c.routes {
			if r.Destination.Rail == destination.PaymentRail && r.Destination.Currency == destination.Currency && matches(s.SelectedSource, r.Source) {
				info.AvailableDestinations = append(info.AvailableDestinations, destination)
				break
			}
		}
	}
	for _, r := range c.routes {
		if matches(s.SelectedSource, r.Source) && matches(s.SelectedDestination, r.Destination) {
			info.Routes = append(info.Routes, r.TransferRoute)
			info.TransactionsInfo = append(info.TransactionsInfo, r.Terms)
		}
	}
	return info
}

// drawSide draws nil, or an endpoint of which each member is absent, right for one real endpoint, or any word.
func drawSide(t *rapid.T, c *Catalogue, label string) *payments.RouteEndpoint {
	if rapid.IntRange(0, 5).Draw(t, label+" absent") == 0 {
		return nil
	}
	model := rapid.SampledFrom(c.selection.destinations).Draw(t, label)
	part := func(name, right string) *string {
		switch rapid.IntRange(0, 9).Draw(t, label+" "+name) {
		case 0:
			word := rapid.SampledFrom([]string{"", "nope", "usd", "ach", "USD", "chainline", "EURC"}).Draw(t, label+" word")
			return &word
		case 1, 2, 3, 4:
			return nil
		}
		return &right
	}
	return &payments.RouteEndpoint{
		PaymentRail: part("rail", model.PaymentRail), Currency: part("currency", model.Currency), Provider: part("provider", model.Provider),
	}
}

func TestSelectAgreesWithTryingEveryRoute(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	rapid.Check(t, func(t *rapid.T) {
		s := payments.RouteSelection{SelectedSource: drawSide(t, c, "source"), SelectedDestination: drawSide(t, c, "destination")}
		got := c.Select(s)
		require.Equal(t, naive(c, s), got)
		require.Same(t, s.SelectedSource, got.SelectedSource)
		require.Same(t, s.SelectedDestination, got.SelectedDestination)
		for i, r := range got.Routes {
			require.Equal(t, r.RouteKey, got.TransactionsInfo[i].RouteKey)
		}
	})
}

func TestSelectListsCannotBeAppendedInto(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	first := c.Select(payments.RouteSelection{SelectedDestination: &payments.RouteEndpoint{Currency: &c.routes[0].Destination.Currency}})
	_ = append(first.Routes, payments.TransferRoute{RouteKey: "other"})
	_ = append(first.AvailableDestinations, payments.AvailableEndpoint{Currency: "other"})
	require.Equal(t, naive(c, payments.RouteSelection{}), c.Select(payments.RouteSelection{}))
}
