package catalogue

import (
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// Error is the refusal of a catalogue file.
type Error struct {
	// File is the path as it was given; "catalogue.yaml" for the built-in catalogue.
	File string
	// Line and Column count from 1 and point at the offending part; both are zero when it is the file as a whole.
	Line, Column int
	// Reason says what is wrong and what would be right.
	Reason string
	// Err is the system's error when the file could not be read, else nil.
	Err error
}

// Error implements error in the form that editors jump to: file:line:column: reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// Unwrap gives errors.Is the system's error.
func (e *Error) Unwrap() error { return e.Err }

// ErrTooManyDecimals refuses an amount that is finer than its currency is on that rail.
var ErrTooManyDecimals = errors.New("has too many decimals")

// BoundsError refuses an amount that a route does not take.
type BoundsError struct {
	// Min and Max are the least and the greatest source amount of the route. Min covers the fees and leaves at least
	// one unit of the destination's last place.
	Min, Max payments.Decimal
	// Currency is the source's, in which all three amounts are.
	Currency string
	// Amount is the source amount that was asked for; where the amount counted on the destination, the one that it
	// would have taken.
	Amount payments.Decimal
}

// Error implements error.
func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s %s is outside the route's bounds; send at least %s and at most %s %s",
		e.Amount, e.Currency, e.Min, e.Max, e.Currency)
}
