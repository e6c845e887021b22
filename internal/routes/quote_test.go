package routes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

func TestQuoteExamples(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	for _, test := range []struct {
		key, amount string
		on          payments.AmountType
		want        [5]string // source, converted, destination, residue, conversion fee
	}{
		// 100 − 0.50 − 0.25 = 99.25; − 0.10.
		{"ach:USD->base:USDC", "100", payments.AmountTypeSource, [5]string{"100.00", "99.25", "99.15", "0.00", "0.25"}},
		{"ach:USD->base:USDC", "100", "", [5]string{"100.00", "99.25", "99.15", "0.00", "0.25"}},
		// 0.25 % of 10.01 is 0.025025, a fee of 0.03.
		{"ach:USD->base:USDC", "10.01", payments.AmountTypeSource, [5]string{"10.01", "9.48", "9.38", "0.00", "0.03"}},
		// 100.10 + 0.50 = 100.60; ÷ 0.9975 = 100.852…
		{"ach:USD->base:USDC", "100", payments.AmountTypeTarget, [5]string{"100.86", "100.10", "100.00", "0.00", "0.26"}},
		// The target's last micro-unit costs a whole cent; the rest of the cent is residue.
		{"ach:USD->base:USDC", "99.150001", payments.AmountTypeTarget,
			[5]string{"100.02", "99.26", "99.150001", "0.009999", "0.26"}},
		// 99.28 × 1.08 = 107.2224; − 0.50 = 106.7224.
		{"sepa:EUR->wire:USD", "100", payments.AmountTypeSource, [5]string{"100.00", "99.28", "106.72", "0.0024", "0.25"}},
		// Ether at a repeating rate: the fee gets the digits cut from converted, so the residue has 18 decimals.
		{"ethereum:ETH->base:EURC", "1.000000000000000001", payments.AmountTypeSource,
			[5]string{"1.000000000000000001", "0.9974666666", "2770.648147", "0.000000547797481482", "0.002500000066666667"}},
	} {
		r, ok := c.Route(test.key)
		require.True(t, ok)
		q, err := r.Quote(money.MustDecimal(test.amount), test.on)
		require.NoError(t, err)
		require.Equal(t, test.want, [5]string{q.Source.String(), q.Converted.String(), q.Destination.String(),
			q.Residue.String(), q.Fees[1].Amount.String()}, test.amount)
	}
}

func TestQuoteRefusesAmountsOutOfBounds(t *testing.T) {
	t.Parallel()
	c := loadedDefault(t)
	const source, target = payments.AmountTypeSource, payments.AmountTypeTarget
	for _, test := range []struct {
		key, amount string
		on          payments.AmountType
		bounds      string // minimum, maximum, and the amount on the source
	}{
		{"ach:USD->base:USDC", "0.99", source, "1.00 1000000.00 0.99"},
		{"ach:USD->base:USDC", "1000000.01", source, "1.00 1000000.00 1000000.01"},
		{"ach:USD->base:USDC", "0", source, "1.00 1000000.00 0.00"},
		{"ach:USD->base:USDC", "0", target, "1.00 1000000.00 0.61"},
		{"ach:USD->base:USDC", "999999", target, "1.00 1000000.00 1002505.87"},
		{"wire:USD->sepa:EUR", "1.02", source, "1.03 1000000.00 1.02"},
	} {
		r, _ := c.Route(test.key)
		_, err := r.Quote(money.MustDecimal(test.amount), test.on)
		var bounds *BoundsError
		require.ErrorAs(t, err, &bounds)
		require.Equal(t, test.bounds, bounds.Min.String()+" "+bounds.Max.String()+" "+bounds.Amount.String())
		require.Equal(t, r.Source.Currency, bounds.Currency)
	}
	r, _ := c.Route("ach:USD->base:USDC")
	_, err := r.Quote(money.MustDecimal("10"), "both")
	require.Error(t, err)
}
