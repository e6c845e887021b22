package routes

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

const small = `bounds: { min: 1.00, max: 1000 }
currencies:
  USD: { decimals: 2 }
  EUR: { decimals: 2, bounds: { max: 500 } }
  USDC: { decimals: 6, decimalsOn: { stellar: 7 } }
rates:
  - 1 EUR = 1.08 USD
  - 1 USDC = 1 USD
fees: { currency: USD, bank: 0.50, network: 0.10, conversion: 0.0025 }
rails:
  ach: { kind: fiat, settlement: 100 }
  sepa: { kind: fiat, settlement: 200 }
  stellar: { kind: chain, settlement: 5 }
providers: [bank, chain]
endpoints:
  - { rail: ach, currency: USD, provider: bank }
  - { rail: sepa, currency: EUR, provider: bank }
  - { rail: stellar, currency: USDC, provider: chain }
routes:
  - { flow: onramp, from: { kind: fiat }, to: { kind: chain } }
  - { flow: offramp, from: { kind: chain }, to: { kind: fiat } }
`

func write(t *testing.T, content string) string {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestLoad(t *testing.T) {
	t.Parallel()
	c, err := Load(write(t, small))
	require.NoError(t, err)
	var keys []string
	for _, r := range everything(t, c).Routes {
		keys = append(keys, r.RouteKey+" "+string(r.FlowType)+" "+r.Provider)
	}
	require.Equal(t, []string{"ach:USD->stellar:USDC onramp bank", "sepa:EUR->stellar:USDC onramp bank",
		"stellar:USDC->ach:USD offramp bank", "stellar:USDC->sepa:EUR offramp bank"}, keys)
	e, ok := c.Endpoint("stellar", "USDC")
	require.True(t, ok)
	require.Equal(t, Endpoint{Rail: "stellar", Currency: "USDC", Provider: "chain", Kind: RailChain, Decimals: 7,
		SettlementSeconds: 5, IsSource: true, IsDestination: true, min: e.min, max: e.max, fee: e.fee}, e)
	_, ok = c.Endpoint("ach", "USDC")
	require.False(t, ok)
	into, _ := c.Route("stellar:USDC->sepa:EUR")
	require.Equal(t, "1.00 1000.00", into.Terms.MinAmount.String()+" "+into.Terms.MaxAmount.String())
	require.Equal(t, 205, into.Terms.EstimatedSettlementSeconds)
	from, _ := c.Route("sepa:EUR->stellar:USDC")
	require.Equal(t, "1.00 500.00", from.Terms.MinAmount.String()+" "+from.Terms.MaxAmount.String())
}

// Each case has pairs of a text and its replacement.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]string{
		"unknown top key":         {"providers: [bank", "provider: [bank"},
		"unknown currency key":    {"USD: { decimals: 2 }", "USD: { decimal: 2 }"},
		"unknown bound":           {"bounds: { max: 500 }", "bounds: { maximum: 5 }"},
		"repeated key":            {"providers: [bank, chain]", "providers: [bank, chain]\nproviders: [x]"},
		"missing bound":           {"bounds: { min: 1.00, max: 1000 }", "bounds: { min: 1.00 }"},
		"currency bound reversed": {"bounds: { max: 500 }", "bounds: { max: 0.99 }"},
		"bound too fine":          {"bounds: { max: 500 }", "bounds: { max: 499.999 }"},
		"negative decimal":        {"bank: 0.50", "bank: -0.50"},
		"conversion is all":       {"conversion: 0.0025", "conversion: 1"},
		"too many decimals":       {"USD: { decimals: 2 }", "USD: { decimals: 19 }"},
		"no decimals":             {"USD: { decimals: 2 }", "USD: {}"},
		"currency name":           {"  USDC: {", "  usdc: {"},
		"rail name":               {"  sepa: {", "  se:pa: {"},
		"rail kind":               {"{ kind: chain,", "{ kind: block,"},
		"provider name":           {"[bank, chain]", "[The Bank, chain]"},
		"decimals on no rail":     {"decimalsOn: { stellar", "decimalsOn: { stelar"},
		"rate form":               {"- 1 EUR = 1.08 USD", "- EUR 1.08"},
		"rate of a stranger":      {"- 1 EUR = 1.08 USD", "- 1 EURO = 1.08 USD"},
		"rate of zero":            {"- 1 EUR = 1.08 USD", "- 1 EUR = 0.00 USD"},
		"rate twice":              {"- 1 USDC = 1 USD", "- 1 USDC = 1 USD\n  - 1 USD = 1 USDC"},
		"rate between others":     {"- 1 EUR = 1.08 USD", "- 1 EUR = 1.08 USDC"},
		"fee currency":            {"currency: USD, bank", "currency: USDT, bank"},
		"endpoint twice": {
			"- { rail: stellar", "- { rail: ach, currency: USD, provider: chain }\n  - { rail: stellar",
		},
		"endpoint side": {"currency: USD, provider: bank }", "currency: USD, provider: bank, source: maybe }"},
		"flow":          {"flow: onramp", "flow: onrmap"},
		"pattern name":  {"from: { kind: fiat }", "from: { rail: [ach, sep] }"},
		"pattern star":  {"from: { kind: fiat }", "from: { rail: x* }"},
		"same what":     {"- { flow: onramp,", "- { same: kind, flow: onramp,"},
		"route twice":   {"  - { flow: offramp,", "  - { flow: fx, from: { rail: ach } }\n  - { flow: offramp,"},
		"rule for nothing": {
			"  - { flow: offramp,",
			"  - { flow: fx, from: { rail: ach }, to: { rail: sepa }, same: currency }\n  - { flow: offramp,",
		},
		"no endpoints":        {small[strings.Index(small, "endpoints:"):strings.Index(small, "routes:")], "endpoints: []\n"},
		"rate missing":        {"  - 1 EUR = 1.08 USD\n", ""},
		"fees eat everything": {"bank: 0.50", "bank: 600"},
		"amounts are vast": {
			"1 USDC = 1 USD", "1 USDC = 0.000000000000000001 USD", "1 EUR = 1.08 USD", "1 EUR = 100000000 USD",
			"network: 0.10", "network: 0", "bank: 0.50", "bank: 0",
		},
		"a rate is vast": {
			"max: 1000 }", "max: 0.01 }", "min: 1.00", "min: 0", ", bounds: { max: 500 }", "",
			"1 USDC = 1 USD", "100000000000000000 USDC = 0.01 USD",
			"network: 0.10", "network: 0", "bank: 0.50", "bank: 0", "conversion: 0.0025", "conversion: 0",
		},
		"a rate is tiny": {
			"1 USDC = 1 USD", "1 USDC = 0.000000000000000001 USD",
			"network: 0.10", "network: 0", "bank: 0.50", "bank: 0",
			"  - { flow: onramp, from: { kind: fiat }, to: { kind: chain } }\n", "",
			"currency: USD, provider: bank", "currency: USD, provider: bank, source: false",
			"currency: EUR, provider: bank", "currency: EUR, provider: bank, source: false",
			"provider: chain }", "provider: chain, destination: false }",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefusal(t, edited(t, edits...))
		})
	}
}

func edited(t *testing.T, edits ...string) string {
	t.Helper()
	content := small
	for i := 0; i < len(edits); i += 2 {
		require.Equal(t, 1, strings.Count(content, edits[i]), "%q must occur once", edits[i])
		content = strings.Replace(content, edits[i], edits[i+1], 1)
	}
	return content
}

func requireRefusal(t *testing.T, content string) {
	t.Helper()
	path := write(t, content)
	_, err := Load(path)
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, path, refusal.File)
}

func TestQuoteOfNothingIsRefusedWhereRoundingWouldCoverIt(t *testing.T) {
	t.Parallel()
	c, err := Load(write(t, edited(t, "bounds: { min: 1.00", "bounds: { min: 0", "network: 0.10", "network: 0.105")))
	require.NoError(t, err)
	r, _ := c.Route("ach:USD->stellar:USDC")
	_, err = r.Quote(money.Decimal{}, payments.AmountTypeTarget)
	var bounds *BoundsError
	require.ErrorAs(t, err, &bounds)
	require.True(t, bounds.Amount.Equal(bounds.Min), "the cent that covers the fee would do")
}

func TestLoadRefusesWhatIsNoCatalogue(t *testing.T) {
	t.Parallel()
	var refusal *Error
	for _, content := range []string{
		"", "# nothing\n", "---\n", "[1]\n", "hello\n", "bounds: {\n", "bounds: \xff\n", small + "---\na: b\n",
		strings.Repeat("#", MaxFileBytes+1),
	} {
		_, err := Load(write(t, content))
		require.ErrorAs(t, err, &refusal)
		require.Contains(t, err.Error(), "mine.yaml:")
	}
	_, err := Load(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorAs(t, err, &refusal)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Load(t.TempDir())
	require.ErrorAs(t, err, &refusal)
}

func TestLoadBoundsTheWork(t *testing.T) {
	t.Parallel()
	crowded := small + "  - { flow: bridge, from: { kind: chain }, to: { kind: chain } }\n"
	for i := range 200 {
		crowded = strings.NewReplacer(
			"currencies:\n", fmt.Sprintf("currencies:\n  C%d: { decimals: 6 }\n", i),
			"rates:\n", fmt.Sprintf("rates:\n  - 1 C%d = 1 USD\n", i),
			"endpoints:\n", fmt.Sprintf("endpoints:\n  - { rail: stellar, currency: C%d, provider: chain }\n", i),
		).Replace(crowded)
	}
	_, err := Load(write(t, crowded))
	require.ErrorContains(t, err, "make more than 20000 routes")
}

// A catalogue may have its own rail as a source. A destination must be a rail for which contacts can be saved.
func TestRailWithoutContacts(t *testing.T) {
	t.Parallel()
	const declared = "  ach: { kind: fiat, settlement: 100 }\n"
	const offered = "  - { rail: stellar, currency: USDC, provider: chain }\n"
	own := func(endpoint string) string {
		return edited(t, declared, declared+"  fednow: { kind: fiat, settlement: 5 }\n", offered, offered+endpoint)
	}
	requireRefusal(t, own("  - { rail: fednow, currency: USD, provider: bank }\n"))

	c, err := Load(write(t, own("  - { rail: fednow, currency: USD, provider: bank, destination: false }\n")))
	require.NoError(t, err)
	_, from := c.Route("fednow:USD->stellar:USDC")
	_, to := c.Route("stellar:USDC->fednow:USD")
	require.True(t, from && !to)
}

// The contract repeats the limits of a catalogue as bounds of the response that lists it.
func TestLimitsAreTheContracts(t *testing.T) {
	t.Parallel()
	members := map[string]*contract.Schema{}
	var add func(s *contract.Schema)
	add = func(s *contract.Schema) {
		for _, member := range s.Members {
			members[member.Name] = member.Schema
			if member.Schema.Items != nil {
				add(member.Schema.Items)
			}
		}
	}
	add(contract.SelectRoutes.ResponseFor(http.StatusOK).Content[0].Schema)
	require.Equal(t, maxNames, members["availableSources"].MaxItems)
	require.Equal(t, maxNames, members["availableDestinations"].MaxItems)
	require.Equal(t, maxRoutes, members["routes"].MaxItems)
	require.Equal(t, maxRoutes, members["transactionsInfo"].MaxItems)
	require.EqualValues(t, 2*maxSeconds, members["estimatedSettlementSeconds"].Maximum, "both sides take time to settle")
	require.EqualValues(t, maxPlaces, members["decimals"].Maximum)
}
