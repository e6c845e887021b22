package store

import (
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// ErrUnavailable is returned when a store cannot keep or read anything at the moment: the disk is full or fails, another
// process keeps the database locked for long, or the store is closed. What an Update wrote that ends with it is not
// there, unless the machine failed in between. A later attempt may succeed.
var ErrUnavailable = errors.New("store: unavailable")

// retryAfter is when it is worth trying again.
const retryAfter = time.Second

// Unavailable wraps the cause of a store's failure. The result is ErrUnavailable, the cause, and the refusal that the
// service's clients are told, which says nothing of the cause.
func Unavailable(cause error) error {
	refusal := payments.Refuse(payments.KindUnavailable, "The service cannot reach its data at the moment.")
	refusal.RetryAfter = retryAfter
	return &unavailable{cause, refusal}
}

type unavailable struct {
	cause   error
	refusal *payments.Refusal
}

func (u *unavailable) Error() string { return ErrUnavailable.Error() + ": " + u.cause.Error() }

func (u *unavailable) Unwrap() []error { return []error{ErrUnavailable, u.cause, u.refusal} }
