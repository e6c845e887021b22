package routes

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/money"
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
		_, err = r.Quote(amount.Add(money.Unit(side.Decimals+1)), on)
		require.ErrorIs(t, err, ErrTooManyDecimals)
		q, err := r.Quote(amount.Mul(money.MustDecimal("1.0")), on) // trailing zeros are not decimals
		if err != nil {
			return
		}
		quoted++
		requireExact(t, q)
		requireWritten(t, r, q)
		if on == payments.AmountTypeSource {
			require.True(t, q.Source.Equal(amount))
			more, err := r.Quote(amount.Add(drawAmount(t, side.Decimals, "more")), on)
			require.True(t, err != nil || more.Destination.Cmp(q.Destination) >= 0, "more on the source never gives less")
		} else {
			require.True(t, q.Destination.Equal(amount))
		}
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

// requireWritten requires that amounts have the form of their currency: all decimals of money, or at least two of a
// token.
func requireWritten(t require.TestingT, r Route, q Quote) {
	for _, side := range []struct {
		decimals int
		amounts  []money.Decimal
	}{
		{r.Source.Decimals, []money.Decimal{q.Source, q.Converted, r.Terms.MinAmount, r.Terms.MaxAmount, *q.Fees[0].Amount}},
		{r.Destination.Decimals, []money.Decimal{q.Destination, *q.Fees[len(q.Fees)-1].Amount}},
	} {
		for _, amount := range side.amounts {
			digits := side.decimals
			if digits > 4 {
				digits = max(amount.Places(), 2)
			}
			require.Equal(t, rat(amount).FloatString(digits), amount.String())
		}
	}
}

// requireTight requires that a route quotes its bounds, but no amount just outside them.
func requireTight(t require.TestingT, r Route) {
	for _, amount := range []money.Decimal{r.Terms.MinAmount, r.Terms.MaxAmount} {
		q, err := r.Quote(amount, payments.AmountTypeSource)
		require.NoError(t, err, r.RouteKey)
		require.False(t, q.Destination.Zero(), r.RouteKey)
		requireExact(t, q)
	}
	step := money.Unit(r.Source.Decimals)
	_, err := r.Quote(r.Terms.MaxAmount.Add(step), payments.AmountTypeSource)
	var bounds *BoundsError
	require.ErrorAs(t, err, &bounds)
	require.Positive(t, bounds.Amount.Cmp(r.Terms.MaxAmount))
	below, ok := r.Terms.MinAmount.Sub(step)
	require.True(t, ok)
	_, err = r.Quote(below, payments.AmountTypeSource)
	require.Error(t, err)
}

// requireLeast requires that the source of a quote covers its target, and that one unit less does not.
func requireLeast(t require.TestingT, r Route, q Quote) {
	covered, err := r.Quote(q.Source, payments.AmountTypeSource)
	require.NoError(t, err)
	require.GreaterOrEqual(t, covered.Destination.Cmp(q.Destination), 0, "the source covers the target")
	less, _ := q.Source.Sub(money.Unit(r.Source.Decimals))
	if less.Cmp(r.Terms.MinAmount) >= 0 {
		short, err := r.Quote(less, payments.AmountTypeSource)
		require.NoError(t, err)
		require.Negative(t, short.Destination.Cmp(q.Destination), "no smaller source does")
	}
}

func rat(d money.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func unit(places int) *big.Rat     { return rat(money.Unit(places)) }

// drawAmount draws an amount with at most that many decimals.
func drawAmount(t *rapid.T, places int, label string) money.Decimal {
	whole := rapid.Uint64Range(0, 1_200_000).Draw(t, label+" whole")
	if places == 0 {
		return money.MustDecimal(fmt.Sprint(whole))
	}
	fraction := rapid.Uint64Range(0, pow10(places)-1).Draw(t, label+" fraction")
	return money.MustDecimal(fmt.Sprintf("%d.%0*d", whole, places, fraction))
}

// FuzzParse requires that any file is refused, or makes a catalogue whose routes keep their promises at their bounds.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(DefaultSource)
	f.Add([]byte("bounds: &a { min: *a }"))
	f.Add([]byte("currencies: &c { USD: { decimals: 2 } }\nrails: *c\n"))
	f.Add([]byte("bounds: !!binary aGVsbG8=\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		c, err := parse("file", source)
		if err != nil {
			var refusal *Error
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, "file", refusal.File)
			return
		}
		info := everything(t, c)
		require.NotEmpty(t, info.Routes)
		for i, r := range info.Routes[:min(len(info.Routes), 50)] {
			route, ok := c.Route(r.RouteKey)
			require.True(t, ok)
			key, err := payments.ParseRouteKey(r.RouteKey)
			require.NoError(t, err)
			require.Equal(t, r.RouteKey, key.String())
			require.Equal(t, r.RouteKey, info.TransactionsInfo[i].RouteKey)
			requireTight(t, route)
		}
	})
}

// requireExact checks the equation of amounts, which does not depend on the catalogue. Each amount must be parsable.
func requireExact(t require.TestingT, q Quote) {
	source, destination := q.Converted, q.Destination.Add(q.Residue)
	for _, f := range q.Fees {
		if f.Side == sideSource {
			source = source.Add(*f.Amount)
		} else {
			require.Equal(t, sideDestination, f.Side)
			destination = destination.Add(*f.Amount)
		}
	}
	require.True(t, q.Source.Equal(source))
	require.True(t, q.Converted.Mul(q.ExchangeRate).Equal(destination))
	require.False(t, q.Destination.Zero())
	for _, d := range []money.Decimal{q.Source, q.Converted, q.Destination, q.ExchangeRate, q.Residue} {
		_, err := money.ParseDecimal(d.String())
		require.NoError(t, err)
	}
}
