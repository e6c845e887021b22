package store

import (
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// ErrUnavailable means that a store cannot read or write now. The disk is full or fails, another process has locked the
// database for long, or the store is closed. An Update that ends with it has no effect, unless the machine failed
// meanwhile. A later attempt may succeed.
var ErrUnavailable = errors.New("store: unavailable")

// retryAfter is when a client may try again. Most of these failures pass quickly.
const retryAfter = time.Second

// Unavailable wraps the cause of a store's failure. The result wraps ErrUnavailable, the cause, and the problem for
// clients of the service, which does not show the cause.
func Unavailable(cause error) error {
	problem := payments.NewProblem(payments.ProblemUnavailable, "The service cannot reach its data at the moment.")
	problem.RetryAfter = retryAfter
	return &unavailableError{cause, problem}
}

type unavailableError struct {
	cause   error
	problem *payments.ProblemError
}

func (u *unavailableError) Error() string { return ErrUnavailable.Error() + ": " + u.cause.Error() }

func (u *unavailableError) Unwrap() []error { return []error{ErrUnavailable, u.cause, u.problem} }
