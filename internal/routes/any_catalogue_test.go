package routes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// drawCatalogue draws a file of two currencies on two rails with any decimals, rate, fees and bounds.
func drawCatalogue(t *rapid.T) string {
	number := func(label string, whole, places int) string {
		text := fmt.Sprint(rapid.Uint64Range(0, pow10(rapid.IntRange(0, whole).Draw(t, label+" digits"))).Draw(t, label))
		if places := rapid.IntRange(0, places).Draw(t, label+" decimals"); places > 0 {
			text += fmt.Sprintf(".%0*d", places, rapid.Uint64Range(0, pow10(places)-1).Draw(t, label+" fraction"))
		}
		return text
	}
	decimals := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 18)) // of money, and of tokens
	left, right := decimals.Draw(t, "left decimals"), decimals.Draw(t, "right decimals")
	return fmt.Sprintf(`bounds: { min: 0, max: %s }
currencies: { AAA: { decimals: %d }, BBB: { decimals: %d } }
rates: [ %s AAA = %s BBB ]
fees: { currency: AAA, bank: %s, network: %s, conversion: 0.%04d }
rails: { ach: { kind: fiat, settlement: 1 }, base: { kind: chain, settlement: 1 } }
providers: [bank]
endpoints: [ { rail: ach, currency: AAA, provider: bank }, { rail: base, currency: BBB, provider: bank } ]
routes: [ { flow: onramp } ]
`, number("max", 12, 0), left, right, number("left", 5, 8), number("right", 5, 8),
		number("bank", 2, 6), number("network", 2, 6), rapid.IntRange(0, 9999).Draw(t, "conversion"))
}

func pow10(n int) uint64 {
	power := uint64(1)
	for range n {
		power *= 10
	}
	return power
}

func TestLawsHoldInAnyCatalogue(t *testing.T) {
	t.Parallel()
	accepted, quoted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, err := parse("drawn", []byte(drawCatalogue(t)))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "drawn:"))
			return
		}
		accepted++
		r := rapid.SampledFrom(c.routes).Draw(t, "route")
		requireTight(t, r)
		on := rapid.SampledFrom([]payments.AmountType{payments.AmountTypeSource, payments.AmountTypeTarget}).Draw(t, "on")
		side := r.Source
		if on == payments.AmountTypeTarget {
			side = r.Destination
		}
		amount := drawAmount(t, side.Decimals, "amount")
		_, err = r.Quote(amount.Add(payments.Unit(side.Decimals+1)), on)
		require.ErrorIs(t, err, ErrTooManyDecimals)
		q, err := r.Quote(amount, on)
		if err != nil {
			return
		}
		quoted++
		requireExact(t, q)
		requireWritten(t, r, q)
		limit := unit(r.Destination.Decimals)
		if on == payments.AmountTypeTarget {
			limit = times(rat(q.ExchangeRate), unit(r.price.convertedPlaces))
			requireLeast(t, r, q)
		}
		require.Negative(t, rat(q.Residue).Cmp(limit))
	})
	require.Positive(t, accepted, "some catalogues are good")
	require.Positive(t, quoted, "some amounts are within bounds")
}

// requireWritten holds the amounts of a quote to the form of their currency: all decimals of money, two at least of a token's.
func requireWritten(t require.TestingT, r Route, q Quote) {
	require.Equal(t, written(r.Source, q.Source, q.Converted, r.Terms.MinAmount, r.Terms.MaxAmount),
		texts(q.Source, q.Converted, r.Terms.MinAmount, r.Terms.MaxAmount))
	require.Equal(t, written(r.Destination, q.Destination), texts(q.Destination))
	for _, fee := range q.Fees {
		side := r.Source
		if fee.Side == sideDestination {
			side = r.Destination
		}
		require.Equal(t, written(side, *fee.Amount), texts(*fee.Amount))
	}
}

func written(side Endpoint, amounts ...payments.Decimal) (all []string) {
	for _, amount := range amounts {
		digits := amount.Places()
		if side.Decimals <= 4 {
			digits = side.Decimals
		}
		all = append(all, rat(amount).FloatString(max(digits, min(side.Decimals, 2))))
	}
	return all
}

func texts(amounts ...payments.Decimal) (all []string) {
	for _, amount := range amounts {
		all = append(all, amount.String())
	}
	return all
}

// requireTight holds a route's bounds to be just wide enough.
func requireTight(t require.TestingT, r Route) {
	for _, amount := range []payments.Decimal{r.Terms.MinAmount, r.Terms.MaxAmount} {
		q, err := r.Quote(amount, payments.AmountTypeSource)
		require.NoError(t, err, r.RouteKey)
		require.False(t, q.Destination.Zero(), r.RouteKey)
		requireExact(t, q)
	}
	step := payments.Unit(r.Source.Decimals)
	_, err := r.Quote(r.Terms.MaxAmount.Add(step), payments.AmountTypeSource)
	requireOutside(t, r, err)
	below, ok := r.Terms.MinAmount.Sub(step)
	require.True(t, ok)
	_, err = r.Quote(below, payments.AmountTypeSource)
	require.Error(t, err)
}

// requireLeast holds the source of a quote on the target to cover it, and one unit less not to.
func requireLeast(t require.TestingT, r Route, q Quote) {
	covered, err := r.Quote(q.Source, payments.AmountTypeSource)
	require.NoError(t, err)
	require.GreaterOrEqual(t, covered.Destination.Cmp(q.Destination), 0, "the source covers the target")
	less, _ := q.Source.Sub(payments.Unit(r.Source.Decimals))
	if less.Cmp(r.Terms.MinAmount) >= 0 {
		short, err := r.Quote(less, payments.AmountTypeSource)
		require.NoError(t, err)
		require.Negative(t, short.Destination.Cmp(q.Destination), "no smaller source does")
	}
}
