package money

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// decimalForm is the pattern of the contract's Amount schema.
var decimalForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$`)

// decimalText generates the text of any amount.
func decimalText() *rapid.Generator[string] { return rapid.StringMatching(decimalForm.String()) }

func drawDecimal(t *rapid.T, label string) (Decimal, *big.Rat) {
	text := decimalText().Draw(t, label)
	d, err := ParseDecimal(text)
	require.NoError(t, err, text)
	return d, rat(t, text)
}

func rat(t require.TestingT, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

// requireSame requires that a Decimal is exactly the expected number.
func requireSame(t require.TestingT, expected *big.Rat, d Decimal) {
	require.Zero(t, expected.Cmp(rat(t, d.String())), "%s is not %s", d, expected.FloatString(40))
}

// cutRat returns a number cut to a number of decimals.
func cutRat(r *big.Rat, places int) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Int).Mul(r.Num(), scale)
	return new(big.Rat).SetFrac(scaled.Quo(scaled, r.Denom()), scale)
}

// raiseRat returns a number rounded up to a number of decimals.
func raiseRat(r *big.Rat, places int) *big.Rat {
	cut := cutRat(r, places)
	if cut.Cmp(r) == 0 {
		return cut
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	return cut.Add(cut, new(big.Rat).SetFrac(big.NewInt(1), scale))
}

func TestDecimalIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawDecimal(t, "d")
		e, s := drawDecimal(t, "e")
		places := rapid.IntRange(0, 36).Draw(t, "places")
		requireSame(t, r, d)
		requireSame(t, new(big.Rat).Add(r, s), d.Add(e))
		requireSame(t, new(big.Rat).Mul(r, s), d.Mul(e))
		requireSame(t, cutRat(r, places), d.Cut(places))
		requireSame(t, raiseRat(r, places), d.RoundUp(places))
		require.Equal(t, r.Cmp(s), d.Cmp(e))
		require.Equal(t, r.Cmp(s) == 0, d.Equal(e))
		require.Equal(t, r.Sign() == 0, d.Zero())
		difference, ok := d.Sub(e)
		require.Equal(t, r.Cmp(s) >= 0, ok)
		if ok {
			requireSame(t, new(big.Rat).Sub(r, s), difference)
		} else {
			require.True(t, difference.Zero())
		}
		if s.Sign() > 0 {
			quotient := new(big.Rat).Quo(r, s)
			requireSame(t, cutRat(quotient, places), d.DivDown(e, places))
			requireSame(t, raiseRat(quotient, places), d.DivUp(e, places))
		}
		require.LessOrEqual(t, d.Cut(places).Places(), places)
		require.LessOrEqual(t, d.RoundUp(places).Places(), places)
	})
}

// An amount is written with the decimals of its currency, whatever zeros it had. It keeps every digit that it needs.
func TestDecimalIsWrittenAsItsCurrencyIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := decimalText().Draw(t, "text")
		decimals := rapid.IntRange(0, 18).Draw(t, "decimals")
		var d Decimal
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &d))
		require.Equal(t, text, d.String(), "it is kept as it was written")
		encoded, err := json.Marshal(d)
		require.NoError(t, err)
		require.Equal(t, `"`+text+`"`, string(encoded))
		_, fraction, _ := strings.Cut(text, ".")
		require.Equal(t, len(strings.TrimRight(fraction, "0")), d.Places())
		least := decimals
		if decimals > 4 {
			least = 2
		}
		written := d.Written(decimals)
		requireSame(t, rat(t, text), written)
		_, fraction, _ = strings.Cut(written.String(), ".")
		require.Len(t, fraction, max(least, d.Places()))
		require.Equal(t, written.String(), d.Mul(MustDecimal("1.000")).Written(decimals).String(),
			"equal amounts have the same text")
	})
}

func TestDecimalExamples(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency, text, written string
	}{
		{"EUR", "0", "0.00"}, {"EUR", "12.5", "12.50"}, {"EUR", "12.500", "12.50"}, {"USDC", "0.000001", "0.000001"},
		{"JPY", "1500.00", "1500"}, {"JPY", "0.5", "0.5"}, {"KWD", "1.5", "1.500"}, {"CLF", "1", "1.0000"},
		{"USDC", "5", "5.00"},
	} {
		decimals, isCertain := CurrencyDecimals(test.currency)
		require.Equal(t, test.currency != "USDC", isCertain)
		require.Equal(t, test.written, MustDecimal(test.text).Written(decimals).String(), test)
	}
	require.Equal(t, "0", Decimal{}.String())
	require.Equal(t, "0.01", Unit(2).String())
	require.Equal(t, "1000", Unit(-3).String())
	require.Panics(t, func() { MustDecimal("one") })
}

func TestParseDecimalRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", ".", "1.", ".5", "-1", "+1", "-0", "1e3", "1E3", "1e400000000", "0x10", "1_000", "1,5", "1,000.00", "01",
		"00", "00.1",
		" 1", "1 ", "1\n", "NaN", "Inf", "١٢", "1.2.3", "1000000000000000000", "0.0000000000000000001",
		strings.Repeat("9", 1<<20),
	} {
		_, err := ParseDecimal(text)
		require.ErrorIs(t, err, ErrNotDecimal, "%.40q", text)
		var d Decimal
		require.ErrorIs(t, d.UnmarshalText([]byte(text)), ErrNotDecimal, "%.40q", text)
	}
	var d Decimal
	require.Error(t, json.Unmarshal([]byte(`12.5`), &d), "a JSON number is not an amount")
	require.Error(t, json.Unmarshal([]byte(`"1e3"`), &d))
}
