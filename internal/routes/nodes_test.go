package routes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfRailsAndCurrencies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ rail, currency bool }{
		"":                      {},
		"a":                     {true, false},
		"a_9":                   {true, false},
		"_a":                    {},
		"9a":                    {},
		"aB":                    {},
		"a\n":                   {},
		"ä":                     {},
		"A":                     {false, true},
		"A9":                    {false, true},
		"A_9":                   {},
		"9A":                    {},
		strings.Repeat("a", 40): {true, false},
		strings.Repeat("a", 41): {},
		strings.Repeat("A", 12): {false, true},
		strings.Repeat("A", 13): {},
	} {
		require.Equal(t, want.rail, railForm.has(text), "rail %q", text)
		require.Equal(t, want.currency, currencyForm.has(text), "currency %q", text)
	}
}
