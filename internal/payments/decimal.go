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
//
// Nearly all are a whole number of units of some last place that fits a machine word, and are kept as that: a service
// holds many, and a pointer in each is work for the collector of garbage.
type Decimal struct {
	units  uint64
	places uint8            // of the unit: it is 10 to the power of -places
	wide   *decimal.Decimal // the number, where it has too many digits for units; else nil
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
	var room [2 + maxWordPlaces + maxWordDigits]byte
	return string(d.append(room[:0]))
}

// append adds the number's text to b.
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
