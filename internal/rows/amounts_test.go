package rows

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		comma             bool
		thousands, amount string
		want, wrong       string
	}{
		{amount: "1250.00", want: "1250.00"},
		{amount: "", want: ""},
		{amount: "1250", want: "1250"},
		{comma: true, amount: "1250,00", want: "1250.00"},
		{thousands: ",", amount: "1,250,000.5", want: "1250000.5"},
		{thousands: " ", amount: "1\u00a0250.00", want: "1250.00"},
		{thousands: "'", amount: "1’250", want: "1250"},
		{comma: true, thousands: ".", amount: "12.500,00", want: "12500.00"},

		{
			amount: "1 250,00",
			wrong:  `"1 250,00" has a space (U+0020) at character 2, and must look like 1250.00; --decimal-comma and`,
		},
		{amount: "12,50", wrong: `"12,50" has ',' at character 3, and must look like 1250.00; --decimal-comma and`},
		{comma: true, amount: "1,250,00", wrong: `"1,250,00" has ',' at character 6, and must look like 1250,00`},
		{comma: true, amount: "1.250,00", wrong: `has '.' at character 2, and must look like 1250,00`},
		{amount: "-5", wrong: `"-5" has '-' at character 1`},
		{amount: "1e3", wrong: `"1e3" has 'e' at character 2`},
		{amount: "1\u202f250", wrong: "a space (U+202F) at character 2"},
		{amount: "5.", wrong: `"5." has '.' at character 2, and must look like 1250.00`},
		{amount: ".5", wrong: "has '.' at character 1"},
		{thousands: ",", amount: "12,50", wrong: `"12,50" has ',' at character 3, and must look like 1,250.00`},
		{thousands: ",", amount: "1250,000", wrong: "has ',' at character 5"},
		{thousands: ",", amount: "1,2500.00", wrong: "has '0' at character 6"},
		{thousands: ",", amount: "1.000,000", wrong: "has ',' at character 6"},
	} {
		s, err := NewAmountStyle(c.comma, c.thousands)
		require.NoError(t, err)
		got, err := s.Read(Field{Kind: '"', Text: c.amount})
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err, c.amount)
		require.Equal(t, c.want, got)
	}
	for _, wrong := range []string{"", ".", ",", "x", "::"} {
		_, err := NewAmountStyle(wrong == ",", wrong)
		require.Equal(t, wrong == "", err == nil, wrong)
	}
}

// A file that separates only some thousands is refused: its point could also be a separator.
func TestThousandsAreSeparatedInTheWholeFile(t *testing.T) {
	t.Parallel()
	s, err := NewAmountStyle(false, ",")
	require.NoError(t, err)
	for _, amount := range []string{"1,250", "999.50", "2,000.00"} {
		_, err := s.Read(Field{Kind: '"', Text: amount})
		require.NoError(t, err)
	}
	_, err = s.Read(Field{Kind: '"', Text: "1250.00"})
	require.ErrorContains(t, err, `"2,000.00" and "1250.00" do not separate thousands in the same way`)
}

// Read returns the amount without its separators, or an error.
func TestAmountsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		comma := rapid.Bool().Draw(r, "comma")
		s, err := NewAmountStyle(comma, rapid.SampledFrom([]string{"", " ", "'"}).Draw(r, "thousands"))
		require.NoError(r, err)
		text := rapid.StringOf(rapid.SampledFrom([]rune("0123456789., '-e\u00a0"))).Draw(r, "text")
		number, err := s.Read(Field{Kind: '"', Text: text})
		if err != nil {
			return
		}
		isDigit := func(char rune) rune {
			if '0' <= char && char <= '9' {
				return char
			}
			return -1
		}
		require.Equal(r, strings.Map(isDigit, text), strings.Map(isDigit, number))
		_, places, _ := strings.Cut(number, ".")
		_, given, _ := strings.Cut(text, s.point)
		require.Equal(r, given, places)
	})
}
