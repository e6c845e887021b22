package payments

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// A Decimal is an exact, non-negative decimal number: an amount of money or an exchange rate. It is never a float, on
// the wire it is a string. Its text has no sign, no exponent and no leading zeros, at most 18 digits before the point
// and 18 behind it.
type Decimal struct {
	value decimal.Decimal
	text  string // what String returns, where it is known beforehand
}

// Most digits of a Decimal's text before and behind the point.
const (
	maxIntegerDigits  = 18
	maxFractionDigits = 18
)

// ErrNotDecimal is the reason why a text is refused as an amount.
var ErrNotDecimal = errors.New("must be a decimal number such as 12.50: digits, a point, up to 18 decimals, no sign and no exponent")

// ParseDecimal reads a Decimal. The text is checked before it becomes a number, so that no short text can ask for a
// huge one. The error is ErrNotDecimal.
func ParseDecimal(text string) (Decimal, error) {
	integer, fraction, point := strings.Cut(text, ".")
	if !digits(integer, maxIntegerDigits) || point && !digits(fraction, maxFractionDigits) ||
		len(integer) > 1 && integer[0] == '0' {
		return Decimal{}, ErrNotDecimal
	}
	value, err := decimal.NewFromString(text)
	if err != nil {
		return Decimal{}, ErrNotDecimal
	}
	return Decimal{value, canonical(text)}, nil
}

// MustDecimal is ParseDecimal for constants. It panics on a text that is no Decimal.
func MustDecimal(text string) Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(fmt.Sprintf("%q %v", text, err))
	}
	return d
}

func digits(s string, most int) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= most
}

// String is the number with as many decimals as it needs, and at least two.
func (d Decimal) String() string {
	if d.text != "" {
		return d.text
	}
	var room [maxIntegerDigits + maxFractionDigits]byte
	if text, ok := d.appendSmall(room[:0]); ok {
		return string(text)
	}
	return canonical(d.value.String())
}

// appendSmall appends the number's text without a big number on the way. Ok is false, and b as it was, when the number has
// too many digits for that.
func (d Decimal) appendSmall(b []byte) (text []byte, ok bool) {
	places := -int(d.value.Exponent())
	if places < 0 || places > maxFractionDigits || d.value.NumDigits() > maxIntegerDigits {
		return b, false
	}
	var room [maxIntegerDigits]byte
	digits := strconv.AppendInt(room[:0], d.value.CoefficientInt64(), 10)
	if len(digits) > places {
		b = append(b, digits[:len(digits)-places]...)
		digits = digits[len(digits)-places:]
	} else {
		b = append(b, '0')
	}
	b = append(b, '.')
	point := len(b)
	for range places - len(digits) {
		b = append(b, '0')
	}
	b = append(b, digits...)
	for len(b) > point+2 && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	for len(b) < point+2 {
		b = append(b, '0')
	}
	return b, true
}

// WithText is the same number with its text made beforehand, for one that is written often.
func (d Decimal) WithText() Decimal {
	d.text = d.String()
	return d
}

// canonical gives the text of a number as many decimals as it needs, and at least two.
func canonical(text string) string {
	integer, fraction, _ := strings.Cut(text, ".")
	switch needed := len(strings.TrimRight(fraction, "0")); {
	case needed > 2:
		return text[:len(integer)+1+needed]
	case len(fraction) >= 2:
		return text[:len(integer)+3]
	case len(fraction) == 1:
		return text + "0"
	}
	return integer + ".00"
}

// MarshalText implements encoding.TextMarshaler.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// AppendText implements encoding.TextAppender.
func (d Decimal) AppendText(b []byte) ([]byte, error) {
	if d.text == "" {
		if text, ok := d.appendSmall(b); ok {
			return text, nil
		}
	}
	return append(b, d.String()...), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Places is the number of decimals that the number needs.
func (d Decimal) Places() int {
	_, fraction, _ := strings.Cut(d.String(), ".")
	return len(strings.TrimRight(fraction, "0"))
}

// Zero says whether the number is zero. It is not called IsZero, by which encoding takes an amount of zero for one that is
// not there.
func (d Decimal) Zero() bool { return d.value.IsZero() }

// Cmp is -1, 0 or 1 as d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int { return d.value.Cmp(e.value) }

// Equal says whether both are the same number.
func (d Decimal) Equal(e Decimal) bool { return d.value.Equal(e.value) }

// Add is d + e.
func (d Decimal) Add(e Decimal) Decimal { return Decimal{value: d.value.Add(e.value)} }

// Sub is d − e; ok is false, and the result zero, when that would be negative.
func (d Decimal) Sub(e Decimal) (result Decimal, ok bool) {
	difference := d.value.Sub(e.value)
	if difference.IsNegative() {
		return Decimal{}, false
	}
	return Decimal{value: difference}, true
}

// Mul is d × e, exact.
func (d Decimal) Mul(e Decimal) Decimal { return Decimal{value: d.value.Mul(e.value)} }

// DivDown is d ÷ e cut to the given number of decimals. It panics when e is zero.
func (d Decimal) DivDown(e Decimal, places int) Decimal {
	quotient, _ := d.value.QuoRem(e.value, int32(places))
	return Decimal{value: quotient}
}

// DivUp is d ÷ e rounded up to the given number of decimals. It panics when e is zero.
func (d Decimal) DivUp(e Decimal, places int) Decimal {
	quotient, remainder := d.value.QuoRem(e.value, int32(places))
	if !remainder.IsZero() {
		quotient = quotient.Add(Unit(places).value)
	}
	return Decimal{value: quotient}
}

// Cut drops the decimals behind the given number of them.
func (d Decimal) Cut(places int) Decimal { return Decimal{value: d.value.Truncate(int32(places))} }

// RoundUp raises the number to the next one with the given number of decimals.
func (d Decimal) RoundUp(places int) Decimal { return Decimal{value: d.value.RoundUp(int32(places))} }

// Unit is one unit of the last place: 0.01 for two decimals.
func Unit(places int) Decimal { return Decimal{value: decimal.New(1, -int32(places))} }
