package routes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
  - { rail: sepa, currency: EUR, provider: bank, destination: { min: 2.55, max: 99.99 } }
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
	for _, r := range c.Select(payments.RouteSelection{}).Routes {
		keys = append(keys, r.RouteKey+" "+string(r.FlowType)+" "+r.Provider)
	}
	require.Equal(t, []string{"ach:USD->stellar:USDC onramp bank", "sepa:EUR->stellar:USDC onramp bank",
		"stellar:USDC->ach:USD offramp bank", "stellar:USDC->sepa:EUR offramp bank"}, keys)
	e, ok := c.Endpoint("stellar", "USDC")
	require.True(t, ok)
	require.Equal(t, Endpoint{Rail: "stellar", Currency: "USDC", Provider: "chain", Kind: KindChain, Decimals: 7,
		SettlementSeconds: 5, IsSource: true, IsDestination: true}, e)
	ach, _ := c.Endpoint("ach", "USD")
	sepa, _ := c.Endpoint("sepa", "EUR")
	require.Equal(t, []int{100, 200}, []int{ach.SettlementSeconds, sepa.SettlementSeconds})
	require.Equal(t, []Kind{KindFiat, KindFiat}, []Kind{ach.Kind, sepa.Kind})
	into, _ := c.Route("stellar:USDC->sepa:EUR")
	require.Equal(t, "2.55 99.99", into.Terms.MinAmount.String()+" "+into.Terms.MaxAmount.String())
	require.Equal(t, 205, into.Terms.EstimatedSettlementSeconds)
	from, _ := c.Route("sepa:EUR->stellar:USDC")
	require.Equal(t, "1.00 500.00", from.Terms.MinAmount.String()+" "+from.Terms.MaxAmount.String())
}

// changes are texts in turn with what takes their place. There, ‹ stands before the place that the error points at.
type changes []string

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reason  string
		changes changes
	}{
		"unknown top key":         {`a document has no key "provider"`, changes{"providers: [bank", "‹provider: [bank"}},
		"unknown currency key":    {`a currency has no key "decimal"`, changes{"USD: { decimals: 2 }", "‹USD: { decimal: 2 }"}},
		"unknown bound":           {`not "maximum"`, changes{"destination: { min: 2.55, max: 99.99 }", "‹destination: { maximum: 5 }"}},
		"repeated key":            {`already defined`, changes{"providers: [bank, chain]", "providers: [bank, chain]\n‹providers: [x]"}},
		"missing bound":           {"must have min and max", changes{"bounds: { min: 1.00, max: 1000 }", "‹bounds: { min: 1.00 }"}},
		"currency bound reversed": {"are reversed", changes{"bounds: { max: 500 }", "‹bounds: { max: 0.99 }"}},
		"endpoint bound reversed": {"the bounds of ach:USD are reversed",
			changes{"- { rail: ach, currency: USD, provider: bank }", "- ‹{ rail: ach, currency: USD, provider: bank, source: { max: 0.5 } }"}},
		"bound too fine":      {"the bound 2.555 has more decimals than sepa:EUR, which has 2", changes{"destination: { min: 2.55", "‹destination: { min: 2.555"}},
		"negative decimal":    {"must be a decimal number", changes{"bank: 0.50", "‹bank: -0.50"}},
		"conversion is all":   {"must be below 1", changes{"conversion: 0.0025", "‹conversion: 1"}},
		"too many decimals":   {"from 0 to 18", changes{"USD: { decimals: 2 }", "‹USD: { decimals: 19 }"}},
		"no decimals":         {"from 0 to 18", changes{"USD: { decimals: 2 }", "‹USD: {}"}},
		"currency name":       {"must be upper-case letters", changes{"  USDC: {", "  ‹usdc: {"}},
		"rail name":           {"must be lower-case letters", changes{"  sepa: {", "  ‹se:pa: {"}},
		"rail kind":           {"must be fiat or chain", changes{"{ kind: chain,", "‹{ kind: block,"}},
		"provider name":       {"a provider's name must be", changes{"[bank, chain]", "[‹The Bank, chain]"}},
		"decimals on no rail": {`there is no rail "stelar"; did you mean "stellar"?`, changes{"decimalsOn: { stellar", "‹decimalsOn: { stelar"}},
		"rate form":           {"must have the form 1 EUR = 1.08 USD", changes{"- 1 EUR = 1.08 USD", "- ‹EUR 1.08"}},
		"rate of a stranger":  {`there is no currency "EURO"; did you mean "EUR"?`, changes{"- 1 EUR = 1.08 USD", "- ‹1 EURO = 1.08 USD"}},
		"rate of zero":        {"must be above zero", changes{"- 1 EUR = 1.08 USD", "- ‹1 EUR = 0.00 USD"}},
		"rate twice": {"the rate between USDC and EUR follows from the other rates",
			changes{"- 1 USDC = 1 USD", "- 1 USDC = 1 USD\n  - ‹1 USDC = 1 EUR"}},
		"fee currency":   {`there is no currency "USDT"`, changes{"currency: USD, bank", "‹currency: USDT, bank"}},
		"endpoint twice": {"ach:USD is there twice", changes{"- { rail: stellar", "- ‹{ rail: ach, currency: USD, provider: chain }\n  - { rail: stellar"}},
		"endpoint side":  {"cannot unmarshal", changes{"currency: USD, provider: bank }", "‹currency: USD, provider: bank, source: maybe }"}},
		"flow":           {`there is no flow "onrmap"; did you mean "onramp"?`, changes{"flow: onramp", "‹flow: onrmap"}},
		"pattern name":   {`there is no rail "sep"; did you mean "sepa"?`, changes{"from: { kind: fiat }", "‹from: { rail: [ach, sep] }"}},
		"pattern star":   {`there is no rail "x*"`, changes{"from: { kind: fiat }", "‹from: { rail: x* }"}},
		"same what":      {"can name rail, currency and provider", changes{"- { flow: onramp,", "- ‹{ same: kind, flow: onramp,"}},
		"route twice": {"the route ach:USD->stellar:USDC is made twice, first by rule 1 of the list",
			changes{"  - { flow: offramp,", "  - ‹{ flow: fx, from: { rail: ach } }\n  - { flow: offramp,"}},
		"rule for nothing": {"this rule makes no route",
			changes{"  - { flow: offramp,", "  - ‹{ flow: fx, from: { rail: ach }, to: { rail: sepa }, same: currency }\n  - { flow: offramp,"}},
		"no endpoints": {"needs endpoints",
			changes{small[strings.Index(small, "endpoints:"):strings.Index(small, "routes:")], "‹endpoints: []\n"}},
		"rate missing":        {"there is no rate between USD and EUR", changes{"  - 1 EUR = 1.08 USD\n", "", "- { rail: sepa", "- ‹{ rail: sepa"}},
		"fees eat everything": {"no amount is possible", changes{"bank: 0.50", "bank: 600", "- { flow: onramp", "- ‹{ flow: onramp"}},
		"source without route": {"no route starts at ach:USD; add a rule for it or write source: false",
			changes{"from: { kind: fiat }", "from: { rail: sepa }", "- { rail: ach", "- ‹{ rail: ach"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefusal(t, edited(t, test.changes...), test.reason)
		})
	}
}

func edited(t *testing.T, edits ...string) string {
	t.Helper()
	content := small
	for i := 0; i < len(edits); i += 2 {
		require.Equal(t, 1, strings.Count(content, edits[i]), "%q is there once", edits[i])
		content = strings.Replace(content, edits[i], edits[i+1], 1)
	}
	return content
}

// requireRefusal loads a catalogue in which ‹ marks where the error belongs.
func requireRefusal(t *testing.T, marked, reason string) {
	t.Helper()
	before, after, found := strings.Cut(marked, "‹")
	require.True(t, found)
	path := write(t, before+after)
	_, err := Load(path)
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Reason, reason)
	line := 1 + strings.Count(before, "\n")
	require.Equal(t, fmt.Sprintf("%s:%d: %s", path, line, refusal.Reason), err.Error())
}

func TestBoundsOfADestinationAreCutToTheSource(t *testing.T) {
	t.Parallel()
	c, err := Load(write(t, edited(t, "provider: chain }", "provider: chain, destination: { min: 1.2345, max: 99.9999 } }")))
	require.NoError(t, err)
	r, _ := c.Route("ach:USD->stellar:USDC")
	require.Equal(t, "1.24 99.99", r.Terms.MinAmount.String()+" "+r.Terms.MaxAmount.String())
}

func TestRuleBothWaysMayMeetItself(t *testing.T) {
	t.Parallel()
	c, err := Load(write(t, small+"  - { flow: fx, from: { kind: fiat }, to: { kind: fiat }, different: currency, bothWays: true }\n"))
	require.NoError(t, err)
	for _, key := range []string{"ach:USD->sepa:EUR", "sepa:EUR->ach:USD"} {
		r, ok := c.Route(key)
		require.True(t, ok, key)
		require.Equal(t, payments.FlowTypeFx, r.FlowType)
	}
}

func TestQuoteOfNothingIsRefusedWhereRoundingWouldCoverIt(t *testing.T) {
	t.Parallel()
	c, err := Load(write(t, edited(t, "bounds: { min: 1.00", "bounds: { min: 0", "network: 0.10", "network: 0.105")))
	require.NoError(t, err)
	r, _ := c.Route("ach:USD->stellar:USDC")
	_, err = r.Quote(payments.Decimal{}, payments.AmountTypeTarget)
	var bounds *BoundsError
	require.ErrorAs(t, err, &bounds)
	require.True(t, bounds.Amount.Equal(bounds.Min), "the cent that covers the fee would do")
}

func TestLoadRefusesRatesOutOfRange(t *testing.T) {
	t.Parallel()
	vast := edited(t, "1 USDC = 1 USD", "1 USDC = 0.000000000000000001 USD", "1 EUR = 1.08 USD", "1 EUR = 100000000 USD",
		"network: 0.10", "network: 0", "bank: 0.50", "bank: 0",
		"- { flow: onramp", "- ‹{ flow: onramp")
	requireRefusal(t, vast, "the greatest amount 1000.00 at the rate")
	rate := edited(t, "max: 1000 }", "max: 0.01 }", "min: 1.00", "min: 0", ", bounds: { max: 500 }", "",
		", destination: { min: 2.55, max: 99.99 }", "", "1 USDC = 1 USD", "100000000000000000 USDC = 0.01 USD",
		"network: 0.10", "network: 0", "bank: 0.50", "bank: 0", "conversion: 0.0025", "conversion: 0", "- { flow: onramp", "- ‹{ flow: onramp")
	requireRefusal(t, rate, "or the rate itself, has more than 18 digits")
	tiny := edited(t, "1 USDC = 1 USD", "1 USDC = 0.000000000000000001 USD",
		"network: 0.10", "network: 0", "bank: 0.50", "bank: 0",
		"  - { flow: onramp, from: { kind: fiat }, to: { kind: chain } }\n", "",
		"currency: USD, provider: bank", "currency: USD, provider: bank, source: false",
		"provider: bank, destination", "provider: bank, source: false, destination",
		"provider: chain }", "provider: chain, destination: false }",
		"- { flow: offramp", "- ‹{ flow: offramp")
	requireRefusal(t, tiny, "the rate from USDC to USD is too small; it is cut to zero")
}

func TestLoadRefusesWhatIsNoCatalogue(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"": ": the catalogue is empty", "# nothing\n": ": the catalogue is empty", "---\n": "a catalogue needs",
		"[1]\n": "cannot unmarshal", "hello\n": "cannot unmarshal", "bounds: {\n": "did not find expected",
		"bounds: \xff\n": "invalid", small + "---\na: b\n": "this has a second",
		strings.Repeat("#", MaxFileBytes+1): "is larger than 4194304 bytes",
	} {
		_, err := Load(write(t, content))
		var refusal *Error
		require.ErrorAs(t, err, &refusal)
		require.ErrorContains(t, err, want)
		require.Contains(t, err.Error(), "mine.yaml:")
	}
}

func TestLoadOfAFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := Load(filepath.Join(t.TempDir(), "absent.yaml"))
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, 1, strings.Count(err.Error(), "absent.yaml"))
	_, err = Load(t.TempDir())
	require.ErrorAs(t, err, &refusal)
}

func TestLoadBoundsTheWork(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range maxNames + 1 {
		fmt.Fprintf(&many, "  c%d: { kind: chain, settlement: 1 }\n", i)
	}
	_, err := Load(write(t, strings.Replace(small, "rails:\n", "rails:\n"+many.String(), 1)))
	require.ErrorContains(t, err, "rails has more than 256 entries")

	many.Reset()
	var endpoints, rates strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, "  C%d: { decimals: 6 }\n", i)
		fmt.Fprintf(&rates, "  - 1 C%d = 1 USD\n", i)
		fmt.Fprintf(&endpoints, "  - { rail: stellar, currency: C%d, provider: chain }\n", i)
	}
	crowded := strings.Replace(small, "currencies:\n", "currencies:\n"+many.String(), 1)
	crowded = strings.Replace(crowded, "rates:\n", "rates:\n"+rates.String(), 1)
	crowded = strings.Replace(crowded, "endpoints:\n", "endpoints:\n"+endpoints.String(), 1)
	_, err = Load(write(t, crowded+"  - { flow: bridge, from: { kind: chain }, to: { kind: chain } }\n"))
	require.ErrorContains(t, err, "make more than 20000 routes")
}

// Money may come from a rail of one's own. It can only go where a contact can be saved.
func TestRailWithoutContacts(t *testing.T) {
	t.Parallel()
	const declared, offered = "  ach: { kind: fiat, settlement: 100 }\n", "  - { rail: stellar, currency: USDC, provider: chain }\n"
	own := func(endpoint string) string {
		return edited(t, declared, declared+"  fednow: { kind: fiat, settlement: 5 }\n", offered, offered+endpoint)
	}
	const reason = "no transfer can be sent to fednow:USD: contacts are saved on the rails ach, "
	requireRefusal(t, own("  - { rail: ‹fednow, currency: USD, provider: bank }\n"), reason)
	requireRefusal(t, own("  - { destination: { max: 5 }, rail: ‹fednow, currency: USD, provider: bank }\n"), reason)

	c, err := Load(write(t, own("  - { rail: fednow, currency: USD, provider: bank, destination: false }\n")))
	require.NoError(t, err)
	_, from := c.Route("fednow:USD->stellar:USDC")
	_, to := c.Route("stellar:USDC->fednow:USD")
	require.True(t, from)
	require.False(t, to)
}
