// Package money has exact decimal numbers, the decimals of currencies, and the coordinates that say where a payment
// goes: bank account numbers, PIX keys and on-chain addresses. A coordinate that passes is well formed, not known to
// exist.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// A Decimal is an exact, non-negative decimal number: an amount of money or an exchange rate. It is a string in JSON,
// and never a float. Its text has no sign, no exponent and no leading zeros, and at most 18 digits before and after
// the point. It keeps trailing zeros, as in 1500 JPY, 1.500 KWD and 12.50 EUR. Written sets how many there are. Cmp
// and Equal compare numbers; the operator == does not compile.
type Decimal struct {
	_     [0]func()
	value decimal.Decimal
}

// The largest number of digits of a Decimal's text before and after the point.
const (
	maxIntegerDigits  = 18
	maxFractionDigits = 18
)

// ErrNotDecimal is the error of a text that is not a Decimal.
var ErrNotDecimal = errors.New("must be a decimal number such as 12.50: digits, a point, up to 18 decimals, " +
	"no sign and no exponent")

// ParseDecimal parses a Decimal. It checks the form before it computes the number, since a short text with an exponent
// could give a huge number. The error is ErrNotDecimal.
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
	return Decimal{value: value}, nil
}

// MustDecimal is ParseDecimal for constants. It panics if the text is not a Decimal.
func MustDecimal(text string) Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(fmt.Sprintf("%q %v", text, err))
	}
	return d
}

func digits(s string, most int) bool {
	return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
}

// String returns the number with its zeros: one that was read as it was written, a sum with the more decimals of both.
func (d Decimal) String() string {
	text, _ := d.AppendText(nil) // which never fails
	return string(text)
}

// AppendText implements encoding.TextAppender.
func (d Decimal) AppendText(to []byte) ([]byte, error) {
	const most = 18 // digits that fit an int64, whatever they are
	places := -d.value.Exponent()
	if places < 0 || places > most || d.value.NumDigits() > most {
		return append(to, d.value.StringFixed(max(0, places))...), nil
	}
	coefficient, one := d.value.CoefficientInt64(), int64(1)
	for range places {
		one *= 10
	}
	to = strconv.AppendInt(to, coefficient/one, 10)
	if places > 0 {
		point := len(to)
		to = strconv.AppendInt(to, one+coefficient%one, 10) // one keeps the zeros at the beginning
		to[point] = '.'
	}
	return to, nil
}

// Written returns the number with the decimals of its currency. An amount of a token, which has more than four
// decimals, gets at least two. Written never rounds: a number that needs more decimals has more.
func (d Decimal) Written(decimals int) Decimal {
	const maxCurrency, minToken = 4, 2 // no currency of ISO 4217 has more than four
	if decimals > maxCurrency {
		decimals = minToken
	}
	if d.value.Exponent() == int32(-decimals) {
		return d
	}
	return Decimal{value: d.value.Truncate(int32(d.Places())).Add(decimal.New(0, int32(-decimals)))}
}

// MarshalText implements encoding.TextMarshaler.
func (d Decimal) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Places returns how many decimals the number needs.
func (d Decimal) Places() int {
	_, fraction, _ := strings.Cut(d.String(), ".")
	return len(strings.TrimRight(fraction, "0"))
}

// Zero reports whether the number is zero. With the name IsZero, the JSON library would omit an amount of zero.
func (d Decimal) Zero() bool { return d.value.IsZero() }

// Cmp returns -1, 0 or 1 if d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int { return d.value.Cmp(e.value) }

// Equal reports whether both are the same number.
func (d Decimal) Equal(e Decimal) bool { return d.value.Equal(e.value) }

// Add returns d + e.
func (d Decimal) Add(e Decimal) Decimal { return Decimal{value: d.value.Add(e.value)} }

// Sub returns d − e. If that is negative, ok is false and the result zero.
func (d Decimal) Sub(e Decimal) (result Decimal, ok bool) {
	difference := d.value.Sub(e.value)
	if difference.IsNegative() {
		return Decimal{}, false
	}
	return Decimal{value: difference}, true
}

// Mul returns d × e, exactly.
func (d Decimal) Mul(e Decimal) Decimal { return Decimal{value: d.value.Mul(e.value)} }

// DivDown returns d ÷ e, truncated to a number of decimals. It panics when e is zero.
func (d Decimal) DivDown(e Decimal, places int) Decimal {
	quotient, _ := d.value.QuoRem(e.value, int32(places))
	return Decimal{value: quotient}
}

// DivUp returns d ÷ e, rounded up to a number of decimals. It panics when e is zero.
func (d Decimal) DivUp(e Decimal, places int) Decimal {
	quotient, remainder := d.value.QuoRem(e.value, int32(places))
	if !remainder.IsZero() {
		quotient = quotient.Add(Unit(places).value)
	}
	return Decimal{value: quotient}
}

// Significant returns the number rounded to a number of significant digits. It rounds only decimals.
func (d Decimal) Significant(digits int) Decimal {
	places := digits - d.value.NumDigits() - int(d.value.Exponent())
	return Decimal{value: d.value.Round(int32(max(places, 0)))}
}

// Cut truncates the number to a number of decimals.
func (d Decimal) Cut(places int) Decimal { return Decimal{value: d.value.Truncate(int32(places))} }

// RoundUp rounds the number up to a number of decimals.
func (d Decimal) RoundUp(places int) Decimal { return Decimal{value: d.value.RoundUp(int32(places))} }

// Unit returns one unit of the last place: 0.01 for two decimals.
func Unit(places int) Decimal { return Decimal{value: decimal.New(1, -int32(places))} }
