package transfer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// FuzzMaxTotal holds --max-total to AMOUNT:CURRENCY, exact, and each currency to be named once.
func FuzzMaxTotal(f *testing.F) {
	f.Add("1:EUR:x", "2:USD")
	f.Add("1e9:EUR", "2:USD")
	f.Add("1:", "2:EUR")
	f.Add("1:EUR", "2:EUR")
	f.Add("25000:USDC", "1.50:EUR")
	f.Add("001:EUR", "0:USD")
	f.Fuzz(func(t *testing.T, one, two string) {
		most, err := (&batchOptions{maxTotal: []string{one, two}}).limits()
		if err != nil {
			require.ErrorIs(t, err, cmdutil.ErrUsage)
			return
		}
		require.Len(t, most, 2)
		for currency, amount := range most {
			require.NotEmpty(t, currency)
			again, err := payments.ParseDecimal(amount.String())
			require.NoError(t, err)
			require.True(t, again.Equal(amount))
			alone, err := (&batchOptions{maxTotal: []string{amount.String() + ":" + currency}}).limits()
			require.NoError(t, err)
			require.True(t, alone[currency].Equal(amount))
		}
		_, err = (&batchOptions{maxTotal: []string{one, one}}).limits()
		require.Error(t, err, "a currency is named twice")
	})
}
