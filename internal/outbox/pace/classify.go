package pace

import (
	"context"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// Statuses that decide by themselves (RFC 9110 section 15 and RFC 6585 section 4); this package does not know HTTP
// otherwise.
const (
	statusUnauthorized    = 401
	statusTooManyRequests = 429
	statusInternal        = 500
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

// next returns what to do after an attempt at a write with this outcome.
func next(o payments.Outcome) nextStep {
	problem, ok := errors.AsType[*payments.ProblemError](o.Err)
	switch {
	case o.Verdict != payments.NotSent && o.Attempts > 0, o.Verdict == payments.Refused:
		return writeEnds
	case !ok && errors.Is(o.Err, context.DeadlineExceeded):
		return tryAgain // the machine slept, or the program was stopped, while the write was about to leave
	case !ok && o.Verdict == payments.NotSent:
		return stopAll // no credential, or the program ends
	case !ok, isOfEarlierAttempt(problem.Kind()):
		return writeEnds
	}
	switch problem.Kind() {
	case payments.KindUnreachable:
		return waitUnreachable
	case payments.KindJournal, payments.KindMoved, payments.KindCredential, payments.KindInsecure,
		payments.KindInvalidSettings, payments.KindUnauthenticated, payments.KindInsufficientScope:
		return stopAll
	}
	switch {
	case problem.Status == statusTooManyRequests && problem.RetryAfter <= longestPause:
		return waitRateLimited
	case problem.Status == statusTooManyRequests, problem.Status == statusUnauthorized:
		return stopAll
	}
	return writeEnds
}

// isTransient reports whether a read that failed like this is worth another attempt.
func isTransient(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && (problem.Status >= statusInternal || problem.Kind() == payments.KindTimeout ||
		problem.Kind() == payments.KindUnusable)
}

// isOfEarlierAttempt reports whether the outcome of a write that was not sent is unknown because of what was sent before.
func isOfEarlierAttempt(kind payments.Kind) bool {
	return kind == payments.KindOutcomeUnknown || kind == payments.KindBeingSent || kind == payments.KindPaidTwice
}

// NotCompared says in which members an effect that existed before could not be compared with the request; empty if in all.
func NotCompared(outcome payments.Outcome) string {
	if len(outcome.NotCompared) == 0 {
		return ""
	}
	return "not compared, since the service does not show it: " + strings.Join(outcome.NotCompared, ", ")
}
