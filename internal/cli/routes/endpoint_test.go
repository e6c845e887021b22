package routes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	ach, usd, bank := "ach", "USD", "northbank"
	for text, expected := range map[string]payments.RouteEndpoint{
		"":                  {},
		"ach":               {PaymentRail: &ach},
		":usd":              {Currency: &usd},
		"@northbank":        {Provider: &bank},
		"ach:USD":           {PaymentRail: &ach, Currency: &usd},
		"ach@northbank":     {PaymentRail: &ach, Provider: &bank},
		":USD@northbank":    {Currency: &usd, Provider: &bank},
		"ach:usd@northbank": {PaymentRail: &ach, Currency: &usd, Provider: &bank},
	} {
		endpoint, err := parseEndpoint(text)
		require.NoError(t, err, text)
		require.Equal(t, &expected, endpoint, text)
	}
	for _, text := range []string{"ach:", "@", "ach@", "ach:USD@", "ach:USD:EUR", "ach@a@b", "ach@a:b", ":@"} {
		_, err := parseEndpoint(text)
		require.Error(t, err, text)
		require.Contains(t, err.Error(), "rail:CURRENCY@provider", "it says what to write")
	}
}
