package cmdutil

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestRatesHaveSixDigitsOnATerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0.8503937007874015": "0.850394", "1": "1", "0.00001234567891": "0.0000123457", "1234567.891": "1234568", "17.1234567": "17.1235",
		"0.9999999": "1.000000", "999999.5": "1000000", "5.40": "5.40", "55555.6": "55555.6",
		// One that lost digits never has the zeros of an exact one.
		"55555.61": "55555.6", "0.10000001": "0.100000", "1.00000049": "1.00000", "1234567.00": "1234567.00",
	} {
		cell := Rate(payments.MustDecimal(text))
		require.Equal(t, want, cell.Short, text)
		require.Equal(t, payments.MustDecimal(text).String(), cell.Text)
	}
}
