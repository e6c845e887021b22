package pace

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/payments"
)

// Statuses that decide by themselves (RFC 9110 section 15 and RFC 6585 section 4); this package does not know HTTP
// otherwise.
const (
	statusUnauthorized    = 401
	statusTooManyRequests = 429
	statusInternal        = 500
)

// An Outcome is what is known about a write that was not made.
type Outcome string

// The outcomes.
const (
	Refused Outcome = "refused"  // by the service
	Unknown Outcome = "unknown"  // it was sent, and it is not known whether it took effect
	NotSent Outcome = "not_sent" // it was not sent
)

// A nextStep is what to do after an attempt at a write.
type nextStep uint8

const (
	writeEnds       nextStep = iota // the write has its outcome
	waitRateLimited                 // the service is asked too often: send the write again later
	waitUnreachable                 // nothing was sent: send the write again later
	tryAgain                        // nothing was sent since the time for the attempt was over: make another one
	stopAll                         // nothing was sent, and no other write would fare better
)

// classify derives from the error of an attempt what is known about the write and what to do next.
func classify(err error) (Outcome, nextStep) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch { // an attempt that was sent has a problem
	case !ok && errors.Is(err, context.DeadlineExceeded):
		return NotSent, tryAgain // the machine slept, or the program was stopped, while the write was about to leave
	case !ok:
		return NotSent, stopAll // no credential, or the program ends
	}
	if isOfEarlierAttempt(problem.Kind()) {
		return Unknown, writeEnds
	}
	switch problem.Kind() {
	case payments.KindUnreachable:
		return NotSent, waitUnreachable
	case payments.KindJournal, payments.KindMoved, payments.KindCredential, payments.KindInsecure,
		payments.KindInvalidSettings, payments.KindUnauthenticated, payments.KindInsufficientScope:
		return NotSent, stopAll
	}
	switch {
	case problem.Status == statusTooManyRequests && problem.RetryAfter <= longestPause:
		return NotSent, waitRateLimited
	case problem.Status == statusTooManyRequests, problem.Status == statusUnauthorized:
		return NotSent, stopAll
	case problem.Status >= statusInternal,
		problem.Kind() == payments.KindTimeout, problem.Kind() == payments.KindUnusable:
		return Unknown, writeEnds // of a read that looked for the write's effect
	}
	return Refused, writeEnds
}
