package deps

import (
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// ErrUsage is the kind of a mistake in how the program was called.
var ErrUsage = errors.New("usage")

// UsageError is a mistake on the command line or in an input file.
type UsageError struct {
	Reason string
	Hint   string // what to do; empty: see the command's help
}

// Error implements error.
func (e *UsageError) Error() string { return e.Reason }

// Is makes a UsageError an ErrUsage.
func (e *UsageError) Is(target error) bool { return target == ErrUsage }

// Usage makes a UsageError.
func Usage(format string, args ...any) error {
	return &UsageError{Reason: fmt.Sprintf(format, args...)}
}

// An EndedBadly is an outcome that was watched for and did not come: the identity check was rejected, the transfer failed.
type EndedBadly struct {
	Subject string // identifier
	State   string
	Reason  string // in words; may be empty
	// Others ended badly too.
	Others []EndedBadly
}

// Error implements error, with a line for each.
func (e *EndedBadly) Error() string {
	text := fmt.Sprintf("%s ended as %s", e.Subject, e.State)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text + others(e.Others, func(other EndedBadly) string { return other.Error() })
}

// mostNamed is how many others an error names.
const mostNamed = 20

func others[T any](all []T, line func(T) string) (text string) {
	for _, other := range all[:min(mostNamed, len(all))] {
		text += "\n" + line(other)
	}
	if left := len(all) - mostNamed; left > 0 {
		text += fmt.Sprintf("\nand %d more", left)
	}
	return text
}

// A CheckFailed says that answers of the service broke the contract.
type CheckFailed struct {
	Violations int // at least one
}

// Error implements error.
func (e *CheckFailed) Error() string {
	return "the service broke the contract " + Count(e.Violations, "time(s)") + "; its log tells each"
}

// An Unprinted result is one that was come to, but could not be printed.
type Unprinted struct {
	Done string // what is so all the same, such as "the transfer trf_… was created"
	Err  error
}

// Error implements error.
func (e *Unprinted) Error() string { return e.Err.Error() }

// Unwrap gives errors.As the error itself.
func (e *Unprinted) Unwrap() error { return e.Err }

// Unprintable tells, with an error of printing, what is so all the same. A nil error stays nil.
func Unprintable(err error, done string) error {
	if err == nil {
		return nil
	}
	return &Unprinted{Done: done, Err: err}
}

// A Partial error came after a part of the output, which is whole as far as it goes: nothing may be added to it.
type Partial struct{ Err error }

// Error implements error.
func (e *Partial) Error() string { return e.Err.Error() }

// Unwrap gives errors.As the error itself.
func (e *Partial) Unwrap() error { return e.Err }

// A WaitTimeout says that --timeout ran out while waiting.
type WaitTimeout struct {
	Subject string
	State   string // the last that was seen
	Waited  string // the flag's value
	// Others are still waited for too; their Waited does not count.
	Others []WaitTimeout
	// Badly ended badly before; nil when none did.
	Badly *EndedBadly
}

// Error implements error, with a line for each.
func (e *WaitTimeout) Error() string {
	text := fmt.Sprintf("after %s %s is still %s", e.Waited, e.Subject, e.State) +
		others(e.Others, func(other WaitTimeout) string { return other.Subject + " is still " + other.State })
	if e.Badly != nil {
		text += "\n" + e.Badly.Error()
	}
	return text
}

// A Differs says that a reference, or an idempotency key where it is empty, was used before with other content.
type Differs struct {
	Reference string
	Existing  payments.Transfer
	// Differences are lines such as "amount: there 10.00, here 12.50".
	Differences []string
}

// Error implements error.
func (e *Differs) Error() string {
	what := "idempotency key"
	if e.Reference != "" {
		what = fmt.Sprintf("reference %q", e.Reference)
	}
	return fmt.Sprintf("the %s belongs to the transfer %s, which differs", what, e.Existing.ID)
}

// A StillOpen says that the outcome of writes is still not known.
type StillOpen struct {
	Count  int
	Listed bool // the service was not asked
	// Hidden are the idempotency keys of those that nothing can be found by, however often one looks.
	Hidden []string
}

// Error implements error.
func (e *StillOpen) Error() string {
	return "the outcome of " + Count(e.Count, "write(s)") + " is not known"
}

// A CredentialState is why `auth status` finds the credentials unusable.
type CredentialState struct{ State, Reason, Next string }

// Error implements error.
func (e *CredentialState) Error() string {
	text := "the credentials are " + e.State
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// A Hinted is an error with what to try next, where that follows from the command and not from the error.
type Hinted struct {
	Err  error
	Next string
}

// Error implements error.
func (e *Hinted) Error() string { return e.Err.Error() }

// Unwrap gives errors.Is and errors.As the error.
func (e *Hinted) Unwrap() error { return e.Err }

// A BatchEnded says that not every row of a file is a transfer now.
type BatchEnded struct {
	Created, Refused, Unknown, NotSent int
	// Err is what stopped the batch before its end; nil when every row was sent.
	Err error
}

// Error implements error.
func (e *BatchEnded) Error() string {
	text := fmt.Sprintf("of %s: %d created, %d refused, %d unknown, %d not sent",
		Count(e.Created+e.Refused+e.Unknown+e.NotSent, "row(s)"), e.Created, e.Refused, e.Unknown, e.NotSent)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}
