package routes

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// The routes as the service's description has them, written down a second time without the catalogue's file.
var (
	fiatProviders = map[string]string{
		"ach:USD": "northbank", "ach_same_day:USD": "northbank", "wire:USD": "northbank", "rtp:USD": "northbank",
		"swift:USD": "northbank", "sepa:EUR": "europay", "sepa_instant:EUR": "europay", "faster_payments:GBP": "albion",
		"pix:BRL": "latampay", "spei:MXN": "latampay",
	}
	chainEndpoints = strings.Fields(`ethereum:USDC base:USDC polygon:USDC arbitrum:USDC optimism:USDC avalanche:USDC
		solana:USDC stellar:USDC ethereum:USDT tron:USDT ethereum:EURC base:EURC ethereum:PYUSD ethereum:ETH bitcoin:BTC`)
	destinationsOnly = []string{"ach_same_day:USD", "rtp:USD", "swift:USD"}
)

// expectedRoutes maps every routeKey to flow type and provider, decided pair by pair.
func expectedRoutes() map[string][2]string {
	endpoints := slices.Clone(chainEndpoints)
	for e := range fiatProviders {
		endpoints = append(endpoints, e)
	}
	routes := map[string][2]string{}
	for _, from := range endpoints {
		for _, to := range endpoints {
			if flow := expectedFlow(from, to); flow != "" && !slices.Contains(destinationsOnly, from) {
				provider := "chainline"
				if p, ok := fiatProviders[to]; ok {
					provider = p
				}
				if p, ok := fiatProviders[from]; ok {
					provider = p
				}
				routes[from+"->"+to] = [2]string{flow, provider}
			}
		}
	}
	return routes
}

func expectedFlow(from, to string) string {
	_, fromFiat := fiatProviders[from]
	_, toFiat := fiatProviders[to]
	fromRail, fromCurrency, _ := strings.Cut(from, ":")
	toRail, toCurrency, _ := strings.Cut(to, ":")
	switch {
	case fromFiat && toFiat:
		switch from + " " + to {
		case "sepa:EUR wire:USD", "wire:USD sepa:EUR", "faster_payments:GBP sepa:EUR", "sepa:EUR faster_payments:GBP":
			return "fx"
		}
	case fromFiat:
		if toCurrency == "USDC" || strings.HasPrefix(fromRail, "sepa") && toCurrency == "EURC" ||
			(fromRail == "ach" || fromRail == "wire") && slices.Contains([]string{"USDT", "PYUSD", "BTC", "ETH"}, toCurrency) {
			return "onramp"
		}
	case toFiat:
		if fromCurrency == "USDC" || (fromCurrency == "USDT" || fromCurrency == "PYUSD") && toCurrency == "USD" ||
			fromCurrency == "EURC" && strings.HasPrefix(toRail, "sepa") {
			return "offramp"
		}
	case fromCurrency != toCurrency:
		return "swap"
	case fromRail != toRail:
		return "bridge"
	default:
		return "transfer"
	}
	return ""
}

func loadedDefault(t testing.TB) *Catalogue {
	c, err := Default()
	require.NoError(t, err)
	return c
}

func TestDefaultRoutesFollowTheRules(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	got := map[string][2]string{}
	flows := map[string]int{}
	for _, r := range everything(t, c).Routes {
		require.NotContains(t, got, r.RouteKey)
		got[r.RouteKey] = [2]string{string(r.FlowType), r.Provider}
		flows[string(r.FlowType)]++
	}
	require.Equal(t, expectedRoutes(), got)
	require.Equal(t,
		map[string]int{"onramp": 70, "offramp": 99, "bridge": 60, "swap": 150, "transfer": 15, "fx": 4}, flows)
	require.Len(t, got, 398)
}

func TestDefaultEndpoints(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	require.Len(t, c.endpoints, len(fiatProviders)+len(chainEndpoints))
	decimals := map[string]int{"USDC": 6, "USDT": 6, "EURC": 6, "PYUSD": 6, "BTC": 8, "ETH": 18}
	for _, e := range c.endpoints {
		_, fiat := fiatProviders[e.Rail+":"+e.Currency]
		require.Equal(t, fiat, e.Kind == RailFiat, e.Rail)
		want := cmp.Or(decimals[e.Currency], 2)
		if e.Rail == "stellar" {
			want = 7
		}
		require.Equal(t, want, e.Decimals, e.Rail)
		require.Positive(t, e.SettlementSeconds)
	}
	_, ok := c.Endpoint("tron", "USDC")
	require.False(t, ok)
}

func TestDefaultTerms(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	for _, test := range []struct{ key, least, most, rate, fees string }{
		{"ach:USD->base:USDC", "1.00", "1000000.00", "1.00", "bank source 0.50 USD, conversion source ×0.0025 USD, network destination 0.10 USDC"},
		{"sepa:EUR->wire:USD", "1.00", "1000000.00", "1.08", "bank source 0.47 EUR, conversion source ×0.0025 EUR, bank destination 0.50 USD"},
		{"wire:USD->sepa:EUR", "1.03", "1000000.00", "0.9259259259259259", "bank source 0.50 USD, conversion source ×0.0025 USD, bank destination 0.47 EUR"},
		{"base:USDC->sepa_instant:EUR", "1.00", "1000000.00", "0.925925925925", "network source 0.10 USDC, conversion source ×0.0025 USDC, bank destination 0.47 EUR"},
		{"sepa_instant:EUR->base:USDC", "1.00", "1000000.00", "1.08", "bank source 0.47 EUR, conversion source ×0.0025 EUR, network destination 0.10 USDC"},
		{"pix:BRL->stellar:USDC", "3.26", "1000000.00", "0.1851851851851851", "bank source 2.70 BRL, conversion source ×0.0025 BRL, network destination 0.10 USDC"},
		{"spei:MXN->base:USDC", "10.24", "1000000.00", "0.0588235294117647", "bank source 8.50 MXN, conversion source ×0.0025 MXN, network destination 0.10 USDC"},
		{"faster_payments:GBP->sepa:EUR", "1.00", "1000000.00", "1.1759259259259259", "bank source 0.40 GBP, conversion source ×0.0025 GBP, bank destination 0.47 EUR"},
		{"bitcoin:BTC->ethereum:USDC", "0.0001", "50.00", "60000.00", "network source 0.00000167 BTC, conversion source ×0.0025 BTC, network destination 0.10 USDC"},
		{"ethereum:ETH->ethereum:ETH", "0.001", "1000.00", "1.00", "network source 0.000033333333333334 ETH, network destination 0.000033333333333334 ETH"},
		{"ethereum:ETH->bitcoin:BTC", "0.001", "1000.00", "0.05", "network source 0.000033333333333334 ETH, conversion source ×0.0025 ETH, network destination 0.00000167 BTC"},
		{"base:EURC->ethereum:EURC", "1.00", "1000000.00", "1.00", "network source 0.092593 EURC, network destination 0.092593 EURC"},
	} {
		r, ok := c.Route(test.key)
		require.True(t, ok, test.key)
		var fees []string
		for _, f := range r.Terms.Fees {
			var amount string
			if f.Rate != nil {
				require.Nil(t, f.Amount)
				amount = "×" + f.Rate.String()
			} else {
				amount = f.Amount.String()
			}
			fees = append(fees, f.Type+" "+f.Side+" "+amount+" "+f.Currency)
		}
		require.Equal(t, []string{test.key, test.least, test.most, test.rate, test.fees},
			[]string{r.Terms.RouteKey, r.Terms.MinAmount.String(), r.Terms.MaxAmount.String(),
				r.Terms.ExchangeRate.String(), strings.Join(fees, ", ")})
		require.True(t, r.Terms.KYCRequired)
		require.Equal(t, r.Source.SettlementSeconds+r.Destination.SettlementSeconds, r.Terms.EstimatedSettlementSeconds)
	}
}

// everything returns all that a catalogue lists.
func everything(t require.TestingT, c *Catalogue) (info payments.TransferInfo) {
	require.NoError(t, json.Unmarshal(c.Select(payments.RouteSelection{}), &info))
	return info
}

func TestDefaultAvailableEndpointsAreInTheirOwnCurrency(t *testing.T) {
	t.Parallel()
	info := everything(t, loadedDefault(t))
	require.Len(t, info.AvailableSources, 22)
	require.Len(t, info.AvailableDestinations, 25)
	line := func(list []payments.AvailableEndpoint, rail, currency string) string {
		for _, e := range list {
			if e.PaymentRail == rail && e.Currency == currency {
				return e.MinAmount.String() + " " + e.MaxAmount.String()
			}
		}
		return "absent"
	}
	require.Equal(t, "1.00 1000000.00", line(info.AvailableSources, "sepa_instant", "EUR"))
	require.Equal(t, "1.00 1000000.00", line(info.AvailableDestinations, "sepa_instant", "EUR"))
	require.Equal(t, "0.0001 50.00", line(info.AvailableDestinations, "bitcoin", "BTC"))
	require.Equal(t, "0.001 1000.00", line(info.AvailableSources, "ethereum", "ETH"))
	require.Equal(t, "absent", line(info.AvailableSources, "rtp", "USD"))
}
