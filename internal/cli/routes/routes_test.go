package routes

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// fake answers every selection alike and records it.
type fake struct {
	payments.Service
	info  payments.TransferInfo
	asked []payments.RouteSelection
}

func (f *fake) SelectRoutes(_ context.Context, s payments.RouteSelection) (payments.TransferInfo, error) {
	f.asked = append(f.asked, s)
	info := f.info
	info.SelectedSource, info.SelectedDestination = s.SelectedSource, s.SelectedDestination
	return info, nil
}

func decimal(text string) *payments.Decimal { return new(payments.MustDecimal(text)) }

func available(rail, currency, provider string) payments.AvailableEndpoint {
	return payments.AvailableEndpoint{PaymentRail: rail, Currency: currency, Provider: provider,
		MinAmount: *decimal("1"), MaxAmount: *decimal("1000000"), Decimals: 2}
}

// sample has two routes, their terms in the other order.
func sample() payments.TransferInfo {
	return payments.TransferInfo{
		AvailableSources:      []payments.AvailableEndpoint{available("ach", "USD", "northbank"), available("sepa", "EUR", "europay")},
		AvailableDestinations: []payments.AvailableEndpoint{available("base", "USDC", "chainline"), available("wire", "USD", "northbank")},
		Routes: []payments.TransferRoute{
			{RouteKey: "sepa:EUR->base:USDC", FlowType: payments.FlowTypeOnramp, Provider: "europay"},
			{RouteKey: "sepa:EUR->wire:USD", FlowType: payments.FlowTypeFx, Provider: "europay"},
		},
		TransactionsInfo: []payments.TransactionInfo{
			{RouteKey: "sepa:EUR->wire:USD", MinAmount: *decimal("2"), MaxAmount: *decimal("500"), ExchangeRate: *decimal("1.08"),
				Fees: []payments.Fee{}, EstimatedSettlementSeconds: 20, KYCRequired: true},
			{RouteKey: "sepa:EUR->base:USDC", MinAmount: *decimal("1"), MaxAmount: *decimal("1000000"), ExchangeRate: *decimal("1.1"),
				Fees: []payments.Fee{
					{Type: "bank", Side: "source", Currency: "EUR", Amount: decimal("0.47")},
					{Type: "conversion", Side: "source", Currency: "EUR", Rate: decimal("0.0025")},
					{Type: "network", Side: "destination", Currency: "USDC", Amount: decimal("0.1")},
				}, EstimatedSettlementSeconds: 172800, KYCRequired: true},
		},
	}
}

// a process runs the command on buffers.
type process struct {
	deps     *cmdutil.Deps
	service  *fake
	out, err bytes.Buffer
}

func newProcess(t *testing.T, output string) *process {
	t.Helper()
	p := &process{service: &fake{info: sample()}}
	file, err := settings.Load(t.TempDir(), nil)
	require.NoError(t, err)
	resolved, err := file.Resolve(settings.Flags{settings.KeyOutput: output}, func(string) string { return "" })
	require.NoError(t, err)
	p.deps = &cmdutil.Deps{
		Streams:  &ui.Streams{In: strings.NewReader("1\n1\n"), Out: &p.out, Err: &p.err},
		Now:      time.Now,
		Options:  &cmdutil.Options{Output: output},
		Settings: func() (settings.Settings, error) { return resolved, nil },
		Payments: func() (payments.Service, error) { return p.service, nil },
	}
	return p
}

func (p *process) run(t *testing.T, args ...string) error {
	t.Helper()
	cmd := New(p.deps)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	return cmd.ExecuteContext(t.Context())
}

// parts is a side of the selection as rail:currency@provider, all of them.
func parts(e *payments.RouteEndpoint) string {
	if e == nil {
		return "none"
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return text(e.PaymentRail) + ":" + text(e.Currency) + "@" + text(e.Provider)
}

func TestFlagsOfASide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args                string
		source, destination string
	}{
		{"", "none", "none"},
		{"--source sepa:eur", "sepa:EUR@", "none"},
		{"--source :USD --destination base", ":USD@", "base:@"},
		{"--source sepa:EUR@europay", "sepa:EUR@europay", "none"},
		{"--source sepa --source-currency eur --source-provider europay", "sepa:EUR@europay", "none"},
		{"--destination-rail base --destination-currency usdc --destination-provider chainline", "none", "base:USDC@chainline"},
	} {
		p := newProcess(t, "json")
		require.NoError(t, p.run(t, append([]string{"select"}, strings.Fields(c.args)...)...), c.args)
		require.Len(t, p.service.asked, 1, c.args)
		require.Equal(t, c.source, parts(p.service.asked[0].SelectedSource), c.args)
		require.Equal(t, c.destination, parts(p.service.asked[0].SelectedDestination), c.args)
	}
}

func TestFlagsThatContradictOrAreMalformed(t *testing.T) {
	t.Parallel()
	for args, names := range map[string]string{
		"--source sepa:EUR --source-currency USD":                "--source-currency",
		"--source sepa:EUR --source-rail ach":                    "--source-rail",
		"--destination base@chainline --destination-provider x":  "--destination-provider",
		"--source sepa:EUR:USD":                                  "--source",
		"--destination base:":                                    "--destination",
		"--destination base@":                                    "--destination",
		"--source sepa:EUR --destination base --source-rail ach": "--source-rail",
	} {
		for _, verb := range []string{"select", "list"} {
			p := newProcess(t, "json")
			err := p.run(t, append([]string{verb}, strings.Fields(args)...)...)
			require.ErrorIs(t, err, cmdutil.ErrUsage, args)
			require.ErrorContains(t, err, names, args)
			require.Empty(t, p.service.asked, "nothing is asked of the service")
		}
	}
}

func TestSelectInJSONIsTheAnswerAsReceived(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "json")
	require.NoError(t, p.run(t, "select", "--source", "sepa:EUR"))
	want := sample()
	want.SelectedSource = &payments.RouteEndpoint{PaymentRail: new("sepa"), Currency: new("EUR")}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.JSONEq(t, string(text), p.out.String())
}

func TestTermsStandBesideTheirRoute(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"select", "list"} {
		p := newProcess(t, "table")
		require.NoError(t, p.run(t, verb, "--source", "sepa"))
		lines := strings.Split(p.out.String(), "\n")
		require.Len(t, lines, 4, "a header, two routes, the end")
		require.Equal(t, "sepa:EUR->base:USDC\tonramp\teuropay\t1.10\t0.47 EUR + 0.25 % + 0.10 USDC\t1.00\t1000000.00\t2 d", lines[1])
		require.Equal(t, "sepa:EUR->wire:USD\tfx\teuropay\t1.08\tnone\t2.00\t500.00\t20 s", lines[2])
	}
}

func TestARouteWithoutTermsShowsNone(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "table")
	p.service.info.TransactionsInfo = nil
	require.NoError(t, p.run(t, "list"))
	require.Contains(t, p.out.String(), "sepa:EUR->base:USDC\tonramp\teuropay\t-\t-\t-\t-\t-\n")

	p = newProcess(t, "ndjson")
	p.service.info.Routes, p.service.info.TransactionsInfo = p.service.info.Routes[:1], nil
	require.NoError(t, p.run(t, "list"))
	require.JSONEq(t, `{"routeKey": "sepa:EUR->base:USDC", "flowType": "onramp", "provider": "europay"}`, p.out.String(),
		"terms that nobody stated are not made up")
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for seconds, words := range map[int]string{0: "0 s", 20: "20 s", 90: "1 min 30 s", 5400: "1 h 30 min", 93600: "1 d 2 h", 86460: "1 d 1 min",
		172800: "2 d", 176465: "2 d 1 h"} {
		require.Equal(t, words, duration(seconds))
	}
}

func TestListByFlow(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "ndjson")
	require.NoError(t, p.run(t, "list", "--flow", "fx"))
	require.JSONEq(t, `{"routeKey": "sepa:EUR->wire:USD", "flowType": "fx", "provider": "europay", "minAmount": "2.00", "maxAmount": "500.00",
		"fees": [], "exchangeRate": "1.08", "estimatedSettlementSeconds": 20, "kycRequired": true}`, p.out.String())

	p = newProcess(t, "csv")
	require.NoError(t, p.run(t, "list", "--flow", "fx"))
	require.Equal(t, 2, strings.Count(p.out.String(), "\n"))
	require.True(t, strings.HasPrefix(p.out.String(), "routeKey,flowType,provider,exchangeRate,"), p.out.String())

	p = newProcess(t, "json")
	require.NoError(t, p.run(t, "list", "--flow", "swap"))
	require.JSONEq(t, "[]", p.out.String())
}

func TestAtATerminalWithNothingGivenItAsks(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "table")
	p.deps.In = strings.NewReader("2\n1\n")
	p.deps.InTTY, p.deps.OutTTY, p.deps.ErrTTY = true, true, true
	p.service.info.Routes = p.service.info.Routes[:1]
	require.NoError(t, p.run(t, "select"))
	require.Len(t, p.service.asked, 3)
	require.Equal(t, "sepa:EUR@europay", parts(p.service.asked[1].SelectedSource), "destinations are those that the source reaches")
	require.Nil(t, p.service.asked[1].SelectedDestination)
	require.Equal(t, "sepa:EUR@europay", parts(p.service.asked[2].SelectedSource))
	require.Equal(t, "base:USDC@chainline", parts(p.service.asked[2].SelectedDestination))
	require.Contains(t, p.err.String(), "2) sepa:EUR (europay)")
	// Without its quotes a shell would take what follows > for a file to write to.
	require.Contains(t, p.err.String(), shell.Hint("payctl transfer auto --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT",
		shell.Values{"ROUTE": "sepa:EUR->base:USDC"}))
}

func TestItNeverAsksOtherwise(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "table")
	require.NoError(t, p.run(t, "select"))
	require.Equal(t, []payments.RouteSelection{{}}, p.service.asked, "off a terminal, an empty selection lists everything")
	require.NotContains(t, p.err.String(), "Number")

	p = newProcess(t, "table")
	p.deps.InTTY, p.deps.OutTTY, p.deps.ErrTTY = true, true, true
	require.NoError(t, p.run(t, "select", "--source", "sepa"))
	require.Len(t, p.service.asked, 1)
}

func TestNoRouteIsNoError(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "table")
	p.service.info.Routes = nil
	require.NoError(t, p.run(t, "select", "--source", "sepa:EUR", "--destination", "pix:BRL"))
	require.Contains(t, p.err.String(), "From sepa:EUR to pix:BRL:\nNo route matches.\n"+
		"sepa:EUR leads to base:USDC, wire:USD\npix:BRL is reached from ach:USD, sepa:EUR\n")
	require.Equal(t, 1, strings.Count(p.out.String(), "\n"), "the header alone")
}
