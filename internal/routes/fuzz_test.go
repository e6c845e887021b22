package routes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// FuzzParse holds any file to be refused with a position inside it, or to make a catalogue of which every route keeps
// its promises at its bounds.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(defaultSource)
	f.Add([]byte("bounds: &a { min: *a }"))
	for _, seed := range []string{
		"currencies: &c { USD: { decimals: 2 } }\nrails: *c\n", "bounds: !!binary aGVsbG8=\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		c, err := parse("file", source)
		if err != nil {
			var refusal *Error
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, "file", refusal.File)
			require.NotEmpty(t, refusal.Reason)
			require.LessOrEqual(t, len(refusal.Reason), 1000)
			return
		}
		everything := c.Select(payments.RouteSelection{})
		require.NotEmpty(t, everything.Routes)
		for i, r := range everything.Routes[:min(len(everything.Routes), 50)] {
			route, ok := c.Route(r.RouteKey)
			require.True(t, ok)
			key, err := payments.ParseRouteKey(r.RouteKey)
			require.NoError(t, err)
			require.Equal(t, r.RouteKey, key.String())
			require.Equal(t, r.RouteKey, everything.TransactionsInfo[i].RouteKey)
			requireTight(t, route)
		}
	})
}

// requireExact checks a quote by the equation of amounts, which needs no knowledge of the catalogue, and in JSON.
func requireExact(t require.TestingT, q Quote) {
	source, destination := q.Converted, q.Destination.Add(q.Residue)
	for _, f := range q.Fees {
		if f.Side == "source" {
			source = source.Add(*f.Amount)
		} else {
			destination = destination.Add(*f.Amount)
		}
	}
	require.True(t, q.Source.Equal(source))
	require.True(t, q.Converted.Mul(q.ExchangeRate).Equal(destination))
	require.False(t, q.Destination.Zero())
	for _, d := range []payments.Decimal{q.Source, q.Converted, q.Destination, q.ExchangeRate, q.Residue} {
		_, err := payments.ParseDecimal(d.String())
		require.NoError(t, err)
	}
}
