package routes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/test/testkit"
)

func loadedDefault(t testing.TB) *Catalogue {
	c, err := Default()
	require.NoError(t, err)
	return c
}

// everything returns all that a catalogue lists.
func everything(t require.TestingT, c *Catalogue) (info payments.TransferInfo) {
	require.NoError(t, json.Unmarshal(c.Select(payments.RouteSelection{}), &info))
	return info
}

// withTerms are routes of the default catalogue whose terms are computed in different ways.
var withTerms = strings.Fields(`ach:USD->base:USDC sepa:EUR->wire:USD wire:USD->sepa:EUR base:USDC->sepa_instant:EUR
	sepa_instant:EUR->base:USDC pix:BRL->stellar:USDC spei:MXN->base:USDC faster_payments:GBP->sepa:EUR
	bitcoin:BTC->ethereum:USDC ethereum:ETH->ethereum:ETH ethereum:ETH->bitcoin:BTC base:EURC->ethereum:EURC`)

// The golden file has the endpoints with their bounds in their own currency, the routes from each, and some terms.
func TestDefaultCatalogue(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	info := everything(t, c)
	var b strings.Builder
	for _, e := range c.endpoints {
		fmt.Fprintf(&b, "%s:%s is %s with %d decimals\n", e.Rail, e.Currency, e.Kind, e.Decimals)
		require.Positive(t, e.SettlementSeconds)
	}
	for side, list := range [][]payments.AvailableEndpoint{info.AvailableSources, info.AvailableDestinations} {
		for _, e := range list {
			fmt.Fprintf(&b, "%s %s:%s by %s, %s to %s\n", []string{"from", "to"}[side], e.PaymentRail, e.Currency,
				e.Provider, e.MinAmount, e.MaxAmount)
		}
	}
	var sources []string
	destinations := map[string][]string{}
	for _, r := range info.Routes {
		from, to, _ := strings.Cut(r.RouteKey, "->")
		source := fmt.Sprintf("%s %s by %s ->", r.FlowType, from, r.Provider)
		if !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
		destinations[source] = append(destinations[source], to)
	}
	for _, source := range sources {
		fmt.Fprintln(&b, source, strings.Join(destinations[source], " "))
	}
	for _, key := range withTerms {
		r, ok := c.Route(key)
		require.True(t, ok, key)
		require.True(t, r.Terms.KYCRequired)
		require.Equal(t, r.Source.SettlementSeconds+r.Destination.SettlementSeconds, r.Terms.EstimatedSettlementSeconds)
		fmt.Fprintf(&b, "%s: %s to %s, ×%s", r.Terms.RouteKey, r.Terms.MinAmount, r.Terms.MaxAmount, r.Terms.ExchangeRate)
		for _, fee := range r.Terms.Fees {
			fmt.Fprintf(&b, ", %s %s", fee.Type, fee.Side)
			if fee.Rate != nil {
				fmt.Fprintf(&b, " ×%s", fee.Rate)
			}
			if fee.Amount != nil {
				fmt.Fprintf(&b, " %s", fee.Amount)
			}
			fmt.Fprintf(&b, " %s", fee.Currency)
		}
		fmt.Fprintln(&b)
	}
	testkit.RequireGolden(t, "default.txt", []byte(b.String()))
}
