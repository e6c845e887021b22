package batch

import (
	"errors"

	"github.com/payctl/payctl/internal/payments"
)

// Statuses that decide by themselves (RFC 9110 section 15 and RFC 6585 section 4); this package does not know HTTP
// otherwise.
const (
	statusUnauthorized    = 401
	statusNotFound        = 404
	statusGone            = 410
	statusTooManyRequests = 429
	statusInternal        = 500
)

// A nextStep is what to do after an attempt at a row.
type nextStep uint8

const (
	rowEnds         nextStep = iota // the row has its outcome
	waitRateLimited                 // the service is asked too often: send the row again later
	waitUnreachable                 // nothing was sent: send the row again later
	stopBatch                       // nothing was sent, and no other row would fare better
)

// classify derives from the error of an attempt what is known about the row and what to do next.
func classify(err error) (Outcome, nextStep) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return NotSent, stopBatch // no credential, or the program ends: an attempt that was sent has a problem
	}
	if isOfEarlierAttempt(problem.Kind()) {
		return Unknown, rowEnds
	}
	switch problem.Kind() {
	case payments.KindUnreachable:
		return NotSent, waitUnreachable
	case payments.KindJournal, payments.KindMoved, payments.KindCredential, payments.KindInsecure,
		payments.KindInvalidSettings, payments.KindUnauthenticated, payments.KindInsufficientScope:
		return NotSent, stopBatch
	}
	switch {
	case problem.Status == statusTooManyRequests && problem.RetryAfter <= longestPause:
		return NotSent, waitRateLimited
	case problem.Status == statusTooManyRequests, problem.Status == statusUnauthorized:
		return NotSent, stopBatch
	case problem.Status >= statusInternal,
		problem.Kind() == payments.KindTimeout, problem.Kind() == payments.KindUnusable:
		return Unknown, rowEnds // of a read that looked for the row's transfer
	}
	return Refused, rowEnds
}
