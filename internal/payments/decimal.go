package payments

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// A Decimal is an exact, non-negative decimal number: an amount of money or an exchange rate. It is never a float,
// and a string in JSON. Its text has no sign, no exponent and no leading zeros, at most 18 digits before the point and
// 18 after it.
//
// Nearly every number fits into 64 bits as a multiple of its last place and is kept so, without a pointer: a service
// holds many of them, and each pointer costs the garbage collector time.
type Decimal struct {
	units  uint64
	places uint8            // the unit is 10 to the power of -places
	wide   *decimal.Decimal // the number, if it does not fit into units; otherwise nil
}

// The largest number of digits of a Decimal's text before and after the point.
const (
	maxIntegerDigits  = 18
	maxFractionDigits = 18
)

// ErrNotDecimal is the error of a text that is not a Decimal.
var ErrNotDecimal = errors.New("must be a decimal number such as 12.50: digits, a point, up to 18 decimals, no sign and no exponent")

// ParseDecimal reads a Decimal. The form is checked before the number is computed, so that a short text cannot produce a
// huge number. The error is ErrNotDecimal.
func ParseDecimal(text string) (Decimal, error) {
	integer, fraction, point := strings.Cut(text, ".")
	if !digits(integer, maxIntegerDigits) || point && !digits(fraction, maxFractionDigits) ||
		len(integer) > 1 && integer[0] == '0' {
		return Decimal{}, ErrNotDecimal
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(integer)+len(fraction) > maxWordDigits {
		value, err := decimal.NewFromString(text)
		if err != nil {
			return Decimal{}, ErrNotDecimal
		}
		return Decimal{wide: &value}, nil
	}
	d := Decimal{places: uint8(len(fraction))}
	for _, part := range []string{integer, fraction} {
		for _, digit := range []byte(part) {
			d.units = d.units*10 + uint64(digit-'0')
		}
	}
	return d, nil
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

// String returns the number with as many decimals as it needs, and at least two.
func (d Decimal) String() string {
	var room [2 + maxWordPlaces + maxWordDigits]byte
	return string(d.append(room[:0]))
}

// append appends the number's text to b.
func (d Decimal) append(b []byte) []byte {
	if d.wide != nil {
		return append(b, canonical(d.wide.String())...)
	}
	places := int(d.places)
	var room [maxWordDigits + 1]byte
	digits := strconv.AppendUint(room[:0], d.units, 10)
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
	return b
}

// canonical returns the text of a number with as many decimals as it needs, and at least two.
func canonical(text string) string {
	integer, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	return integer + "." + fraction + "00"[min(len(fraction), 2):]
}

// MarshalText implements encoding.TextMarshaler.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// AppendText implements encoding.TextAppender.
func (d Decimal) AppendText(b []byte) ([]byte, error) { return d.append(b), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
