package batch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A row that no longer fits the limit of the day when it is claimed is not sent. Rows that fit are sent.
func TestARowThatDoesNotFitTheDay(t *testing.T) {
	t.Parallel()
	m := newFake(nil).machine(t)
	m.limits.Day = map[string]money.Decimal{"USDC": money.MustDecimal("12")}
	report := &lines{}
	require.NoError(t, m.run(file(t, 3, "5"), report))
	require.Equal(t, 2, report.count(Created))
	require.Equal(t, effect.NotSent, report.results[2].Outcome)
	require.Equal(t, string(payments.ProblemHeldBack), report.results[2].ProblemType)
	require.Len(t, m.made, 2)
	again := &lines{}
	require.NoError(t, m.run(file(t, 3, "5"), again))
	require.Equal(t, 2, again.count(Created), "a paid row is not held back")
}

// The plan of a file says why its rows are held back. Rows that are already paid do not change its digest.
func TestWhatAPlanTells(t *testing.T) {
	t.Parallel()
	m := newFake(nil).machine(t)
	plan := func(text string) checkedFile {
		source := checked(t, terms{}, "reference,contact,route,amount\n"+text)
		o, end := m.outbox()
		defer end()
		require.NoError(t, source.FindPaidBefore(t.Context(), source.File.Rows, o))
		require.NoError(t, source.CheckRest(t.Context(), source.File, o))
		return source
	}
	const rows = "a,sct,base:USDC->sepa:EUR,5\nb,sct,base:USDC->sepa:EUR,5.0\n"
	first := plan(rows)
	require.Equal(t, []Similar{{3, "b", "a"}}, first.Similar)
	require.Equal(t, "10.00", first.Routes[0].Estimate.Leaves.String())
	require.Equal(t, "4.88", first.Routes[0].Estimate.Arrives.Cut(2).String())
	require.NotEqual(t, first.Digest, plan("a,sct,base:USDC->sepa:EUR,5\nb,sct2,base:USDC->sepa:EUR,5.0\n").Digest)
	require.NotEqual(t, first.Digest, plan("a,sct,base:USDC->sepa:EUR,5\nb,sct,base:USDC->sepa:EUR,6.0\n").Digest)
	require.NoError(t, m.run(first, &lines{}))

	m.limits = journal.Limits{
		Payment: map[string]money.Decimal{"USDC": money.MustDecimal("4")},
		Day:     map[string]money.Decimal{"USDC": money.MustDecimal("13")},
	}
	paid := plan(rows)
	require.Equal(t, first.Digest, paid.Digest)
	require.Empty(t, paid.Similar)
	require.Empty(t, paid.File.Errors)
	require.Nil(t, paid.Held)
	more := plan(rows + "c,sct,base:USDC->sepa:EUR,4\n")
	require.Contains(t, more.Held.Detail, "payments of the last 24 hours have 10")
	m.limits.Day = nil
	large := plan(rows + "c,sct,base:USDC->sepa:EUR,4.01\n")
	require.ErrorContains(t, large.File.Errors[0], "4:27: 4.01 USDC is more than limit_payment 4:USDC.")
}

// An estimate uses the announced fees, whichever side the amount is on.
func TestEstimate(t *testing.T) {
	t.Parallel()
	info, err := terms{}.SelectRoutes(t.Context(), payments.RouteSelection{})
	require.NoError(t, err)
	key, err := payments.ParseRouteKey(testRoute)
	require.NoError(t, err)
	for amount, want := range map[string]string{"5": "2.44", "100": "49.82", "0.01": ""} {
		e := NewEstimate(key, info, &info.TransactionsInfo[0], money.MustDecimal(amount), payments.AmountTypeSource)
		if want == "" {
			require.Nil(t, e)
			continue
		}
		require.Equal(t, want, e.Arrives.String())
	}
	e := NewEstimate(key, info, &info.TransactionsInfo[0], money.MustDecimal("49.82"), payments.AmountTypeTarget)
	require.Equal(t, "99.989975", e.Leaves.String())
	require.Nil(t, NewEstimate(key, info, nil, money.MustDecimal("5"), payments.AmountTypeSource))
}
