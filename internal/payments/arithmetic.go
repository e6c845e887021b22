package payments

import (
	"math/bits"
	"strings"

	"github.com/shopspring/decimal"
)

// Arithmetic uses machine words if both numbers and the result fit into one, and big numbers otherwise. Property tests
// hold both to the same results.

const (
	// maxWordDigits is how many decimal digits always fit into 64 bits.
	maxWordDigits = 19
	// maxWordPlaces is the largest exponent of a word's unit: a product of two amounts has twice the places of one.
	maxWordPlaces = 2 * maxFractionDigits
)

// powers are the powers of ten that fit into 64 bits.
var powers = func() (all [maxWordDigits + 1]uint64) {
	all[0] = 1
	for i := 1; i < len(all); i++ {
		all[i] = all[i-1] * 10
	}
	return all
}()

// big returns the number in the representation that can hold any number.
func (d Decimal) big() decimal.Decimal {
	if d.wide != nil {
		return *d.wide
	}
	return decimal.NewFromUint64(d.units).Shift(-int32(d.places))
}

// of returns a number in the smallest representation that can hold it.
func of(value decimal.Decimal) Decimal {
	places := -value.Exponent()
	if places < 0 || places > maxWordPlaces || value.NumDigits() > maxWordDigits {
		return Decimal{wide: &value}
	}
	return Decimal{units: value.Coefficient().Uint64(), places: uint8(places)}
}

// raised returns the number in units of smaller places. ok is false if it does not fit.
func (d Decimal) raised(places uint8) (units uint64, ok bool) {
	more := places - d.places
	if int(more) >= len(powers) {
		return 0, false
	}
	over, units := bits.Mul64(d.units, powers[more])
	return units, over == 0
}

// aligned returns both numbers in units of the same places. ok is false if one does not fit.
func aligned(d, e Decimal) (a, b uint64, places uint8, ok bool) {
	if d.wide != nil || e.wide != nil {
		return 0, 0, 0, false
	}
	places = max(d.places, e.places)
	a, fits := d.raised(places)
	b, ok = e.raised(places)
	return a, b, places, ok && fits
}

// Places returns how many decimals the number needs.
func (d Decimal) Places() int {
	if d.wide != nil {
		_, fraction, _ := strings.Cut(d.wide.String(), ".")
		return len(strings.TrimRight(fraction, "0"))
	}
	for d.places > 0 && d.units%10 == 0 {
		d.units /= 10
		d.places--
	}
	return int(d.places)
}

// Zero reports whether the number is zero. It is not called IsZero, because the JSON library would then omit an amount
// of zero.
func (d Decimal) Zero() bool { return d.units == 0 && (d.wide == nil || d.wide.IsZero()) }

// Cmp returns -1, 0 or 1 if d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	a, b, _, ok := aligned(d, e)
	switch {
	case !ok:
		return d.big().Cmp(e.big())
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Equal reports whether both are the same number.
func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Add returns d + e.
func (d Decimal) Add(e Decimal) Decimal {
	if a, b, places, ok := aligned(d, e); ok {
		if sum, carry := bits.Add64(a, b, 0); carry == 0 {
			return Decimal{units: sum, places: places}
		}
	}
	return of(d.big().Add(e.big()))
}

// Sub returns d − e. If that is negative, ok is false and the result zero.
func (d Decimal) Sub(e Decimal) (result Decimal, ok bool) {
	if d.Cmp(e) < 0 {
		return Decimal{}, false
	}
	if a, b, places, ok := aligned(d, e); ok {
		return Decimal{units: a - b, places: places}, true
	}
	return of(d.big().Sub(e.big())), true
}

// Mul returns d × e, exactly.
func (d Decimal) Mul(e Decimal) Decimal {
	if places := d.places + e.places; d.wide == nil && e.wide == nil && places <= maxWordPlaces {
		if over, units := bits.Mul64(d.units, e.units); over == 0 {
			return Decimal{units: units, places: places}
		}
	}
	return of(d.big().Mul(e.big()))
}

// DivDown returns d ÷ e, truncated to a number of decimals. It panics when e is zero.
func (d Decimal) DivDown(e Decimal, places int) Decimal {
	quotient, _ := d.big().QuoRem(e.big(), int32(places))
	return of(quotient)
}

// DivUp returns d ÷ e, rounded up to a number of decimals. It panics when e is zero.
func (d Decimal) DivUp(e Decimal, places int) Decimal {
	quotient, remainder := d.big().QuoRem(e.big(), int32(places))
	if !remainder.IsZero() {
		quotient = quotient.Add(Unit(places).big())
	}
	return of(quotient)
}

// Cut truncates the number to a number of decimals.
func (d Decimal) Cut(places int) Decimal {
	switch drop := int(d.places) - places; {
	case d.wide != nil || places < 0:
		return of(d.big().Truncate(int32(places)))
	case drop <= 0:
		return d
	case drop >= len(powers):
		return Decimal{}
	default:
		return Decimal{units: d.units / powers[drop], places: uint8(places)}
	}
}

// RoundUp rounds the number up to a number of decimals.
func (d Decimal) RoundUp(places int) Decimal {
	if cut := d.Cut(places); cut.Cmp(d) < 0 {
		return cut.Add(Unit(places))
	}
	return d
}

// Unit returns one unit of the last place: 0.01 for two decimals.
func Unit(places int) Decimal {
	if places < 0 || places > maxWordPlaces {
		return of(decimal.New(1, -int32(places)))
	}
	return Decimal{units: 1, places: uint8(places)}
}
