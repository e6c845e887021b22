package routes

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// dollars is what a unit of each currency is worth, written down without the catalogue's file.
func dollars(currency string) *big.Rat {
	return map[string]*big.Rat{
		"USD": big.NewRat(1, 1), "USDC": big.NewRat(1, 1), "USDT": big.NewRat(1, 1), "PYUSD": big.NewRat(1, 1),
		"EUR": big.NewRat(108, 100), "EURC": big.NewRat(108, 100), "GBP": big.NewRat(127, 100),
		"BRL": big.NewRat(100, 540), "MXN": big.NewRat(1, 17), "BTC": big.NewRat(60000, 1), "ETH": big.NewRat(3000, 1),
	}[currency]
}

func rat(d payments.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func unit(places int) *big.Rat     { return rat(payments.Unit(places)) }

// isCeiling reports whether a is b rounded up to a number of places.
func isCeiling(a, b *big.Rat, places int) bool {
	return a.Cmp(b) >= 0 && minus(a, b).Cmp(unit(places)) < 0
}

// drawRoute prefers the routes with the most awkward rates and decimals, which are few.
func drawRoute(t *rapid.T, c *Catalogue) Route {
	if rapid.Bool().Draw(t, "awkward") {
		awkward := slices.DeleteFunc(slices.Clone(c.routes), func(r Route) bool {
			return r.Source.Currency == r.Destination.Currency || r.Source.Decimals <= 7 && r.Destination.Decimals <= 7
		})
		return rapid.SampledFrom(awkward).Draw(t, "route")
	}
	return rapid.SampledFrom(c.routes).Draw(t, "route")
}

// drawAmount draws an amount with at most that many decimals, small ones as often as great ones.
func drawAmount(t *rapid.T, places int, label string) payments.Decimal {
	whole := rapid.Uint64Range(0, 1_200_000).Draw(t, label+" whole")
	if places == 0 {
		return payments.MustDecimal(fmt.Sprint(whole))
	}
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil).Uint64() - 1
	return payments.MustDecimal(fmt.Sprintf("%d.%0*d", whole, places, rapid.Uint64Range(0, most).Draw(t, label+" fraction")))
}

// requireLaws holds a quote to what every quote promises.
func requireLaws(t require.TestingT, r Route, q Quote) {
	left, right := rat(q.Converted), plus(rat(q.Destination), rat(q.Residue))
	converts := r.Source.Currency != r.Destination.Currency
	want := []string{"source", "destination"}
	if converts {
		want = []string{"source", "source", "destination"}
	}
	for i, f := range q.Fees {
		require.Equal(t, want[i], f.Side)
		require.NotNil(t, f.Amount)
		end := r.Source
		if f.Side == "source" {
			left = plus(left, rat(*f.Amount))
		} else {
			right, end = plus(right, rat(*f.Amount)), r.Destination
		}
		require.Equal(t, end.Currency, f.Currency)
		require.LessOrEqual(t, f.Amount.Places(), end.Decimals)
		requireFee(t, r, q, f, end)
	}
	require.Len(t, q.Fees, len(want))
	require.Zero(t, rat(q.Source).Cmp(left), "source = fees + converted")
	require.Zero(t, times(rat(q.Converted), rat(q.ExchangeRate)).Cmp(right), "converted × rate = destination + fees + residue")

	exact := new(big.Rat).Quo(dollars(r.Source.Currency), dollars(r.Destination.Currency))
	require.True(t, rat(q.ExchangeRate).Cmp(exact) <= 0 && minus(exact, rat(q.ExchangeRate)).Cmp(unit(8)) < 0, "rate")
	require.LessOrEqual(t, q.Source.Places(), r.Source.Decimals)
	require.LessOrEqual(t, q.Destination.Places(), r.Destination.Decimals)
	for _, d := range []payments.Decimal{q.Source, q.Converted, q.Destination, q.ExchangeRate, q.Residue} {
		back, err := payments.ParseDecimal(d.String())
		require.NoError(t, err, "the wire carries %s", d)
		require.True(t, back.Equal(d))
	}
}

func requireFee(t require.TestingT, r Route, q Quote, f payments.Fee, end Endpoint) {
	switch f.Type {
	case "conversion":
		require.Equal(t, "0.0025", f.Rate.String())
		share := times(rat(q.Source), big.NewRat(25, 10000))
		if r.Source.Currency == "ETH" && (r.Destination.Currency == "BTC" || r.Destination.Currency == "EURC") {
			require.True(t, isCeiling(rat(*f.Amount), share, 9), "conversion with what converted is cut by")
		} else {
			require.True(t, isCeiling(rat(*f.Amount), share, end.Decimals), "conversion")
		}
	case "bank":
		require.Nil(t, f.Rate)
		require.Equal(t, KindFiat, end.Kind)
		require.True(t, isCeiling(rat(*f.Amount), new(big.Rat).Quo(big.NewRat(50, 100), dollars(end.Currency)), end.Decimals), "bank")
	case "network":
		require.Nil(t, f.Rate)
		require.Equal(t, KindChain, end.Kind)
		require.True(t, isCeiling(rat(*f.Amount), new(big.Rat).Quo(big.NewRat(10, 100), dollars(end.Currency)), end.Decimals), "network")
	default:
		require.Fail(t, "unknown fee", f.Type)
	}
}

// requireOutside holds a refusal to be a right one.
func requireOutside(t require.TestingT, r Route, err error) {
	var bounds *BoundsError
	require.ErrorAs(t, err, &bounds)
	require.True(t, bounds.Amount.Cmp(r.Terms.MinAmount) < 0 || bounds.Amount.Cmp(r.Terms.MaxAmount) > 0)
}

func TestLawsOfAmountsOnTheSource(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRoute(t, c)
		amount := drawAmount(t, r.Source.Decimals, "amount")
		q, err := r.Quote(amount, payments.AmountTypeSource)
		if err != nil {
			requireOutside(t, r, err)
			return
		}
		requireLaws(t, r, q)
		require.True(t, q.Source.Equal(amount))
		require.False(t, q.Destination.Zero())
		require.Negative(t, rat(q.Residue).Cmp(unit(r.Destination.Decimals)))
	})
}

func TestLawsOfAmountsOnTheTarget(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRoute(t, c)
		amount := drawAmount(t, r.Destination.Decimals, "amount")
		q, err := r.Quote(amount, payments.AmountTypeTarget)
		if err != nil {
			if !amount.Zero() {
				requireOutside(t, r, err)
			}
			return
		}
		requireLaws(t, r, q)
		require.True(t, q.Destination.Equal(amount))
		require.Negative(t, rat(q.Residue).Cmp(times(rat(q.ExchangeRate), unit(r.price.convertedPlaces))))
		coarser := times(rat(q.ExchangeRate), unit(r.price.convertedPlaces))
		if destination := unit(r.Destination.Decimals); destination.Cmp(coarser) > 0 {
			coarser = destination
		}
		require.Negative(t, rat(q.Residue).Cmp(coarser))

		requireLeast(t, r, q)
	})
}

func TestMoreSourceNeverGivesLess(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRoute(t, c)
		a := drawAmount(t, r.Source.Decimals, "amount")
		b := a.Add(payments.Unit(r.Source.Decimals))
		if rapid.Bool().Draw(t, "far") {
			b = a.Add(drawAmount(t, r.Source.Decimals, "more"))
		}
		first, errFirst := r.Quote(a, payments.AmountTypeSource)
		second, errSecond := r.Quote(b, payments.AmountTypeSource)
		if errFirst == nil && errSecond == nil {
			require.LessOrEqual(t, first.Destination.Cmp(second.Destination), 0)
		}
	})
}

func TestBoundsOfEveryRouteAreTight(t *testing.T) {
	t.Parallel()
	for _, r := range loadedDefault(t).routes {
		requireTight(t, r)
		bound := map[string]string{"BTC": "0.0001", "ETH": "0.001"}[r.Source.Currency]
		if bound == "" {
			bound = "1"
		}
		require.GreaterOrEqual(t, r.Terms.MinAmount.Cmp(payments.MustDecimal(bound)), 0, r.RouteKey)
		if r.Terms.MinAmount.Cmp(payments.MustDecimal(bound)) > 0 {
			below, _ := r.Terms.MinAmount.Sub(payments.Unit(r.Source.Decimals))
			left := minus(times(rat(r.price.converted(below)), rat(r.price.rate)), rat(*r.price.destination.Amount))
			require.Negative(t, left.Cmp(unit(r.Destination.Decimals)), "%s: a smaller amount would do", r.RouteKey)
		}
	}
}
