package pace

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

// maxExpired is how many attempts at a write may run out of time before anything was sent. The machine may have slept
// once, and perhaps twice; after that it is too busy.
const maxExpired = 3

// A Sender makes attempts at many writes.
type Sender struct {
	*Limiter

	// Patience is how long a service that cannot be reached is tried again.
	Patience time.Duration
	// Timeout bounds one attempt.
	Timeout time.Duration
	// Stop stops all writes, for a reason.
	Stop context.CancelCauseFunc

	failures atomic.Int64 // writes in succession that stopIfHopeless counts
}

// A NotBegunError says that no attempt at a write was begun, since sending had ended.
type NotBegunError struct{ Cause error }

// Error implements error.
func (e *NotBegunError) Error() string { return e.Cause.Error() }

// Unwrap is the reason why sending ended.
func (e *NotBegunError) Unwrap() error { return e.Cause }

// Send makes attempts at a write until its outcome is known. When sending ends no attempt is begun; attempts run in
// finishing. The outcome is that of the last attempt; its error is a *NotBegunError if there was none.
func (s *Sender) Send(
	sending, finishing context.Context, attempt func(context.Context, *Ticket) payments.Outcome,
) payments.Outcome {
	expired := 0
	for {
		sent, err := s.Acquire(sending)
		if err != nil {
			return payments.Outcome{Verdict: payments.NotSent, Err: &NotBegunError{err}}
		}
		outcome, step := s.attempt(finishing, sent, attempt)
		if step == tryAgain {
			expired++
		}
		if step == writeEnds || step == stopAll || expired == maxExpired || finishing.Err() != nil {
			return outcome
		}
	}
}

// attempt makes one attempt at a write.
func (s *Sender) attempt(
	ctx context.Context, sent Ticket, attempt func(context.Context, *Ticket) payments.Outcome,
) (outcome payments.Outcome, step nextStep) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	outcome = attempt(ctx, &sent)
	if outcome.Err == nil {
		s.Release(sent, true)
		s.failures.Store(0)
		return outcome, writeEnds
	}
	step = next(outcome)
	failure := outcome.Err // of the service
	if unknown, ok := errors.AsType[*outbox.NotLookedUpError](failure); ok {
		failure = unknown.Cause
		step = next(payments.Outcome{Verdict: payments.NotSent, Err: failure})
	}
	switch step {
	case waitRateLimited:
		if s.RateLimited(payments.RetryAfter(failure)) > longestPause {
			s.Stop(failure)
		}
	case waitUnreachable:
		if s.Unreachable(sent, failure) > s.Patience {
			s.Stop(failure)
		}
	case stopAll:
		s.Stop(failure)
	case writeEnds:
		s.stopIfHopeless(outcome, failure)
	}
	s.Release(sent, outcome.Verdict == payments.Refused)
	return outcome, step
}

// Ask makes a request that changes nothing, with the same patience as writes are sent.
func (s *Sender) Ask(ctx context.Context, request func(context.Context) error) error {
	for {
		sent, err := s.Acquire(ctx)
		if err != nil {
			return err
		}
		err = request(payments.WithoutRateLimitRetry(ctx))
		if err == nil {
			s.Release(sent, true)
			return nil
		}
		again := false
		switch step := next(payments.Outcome{Verdict: payments.NotSent, Err: err}); {
		case step == waitRateLimited:
			again = s.RateLimited(payments.RetryAfter(err)) <= longestPause
		case step == waitUnreachable, isTransient(err): // a read may be repeated whatever its outcome
			again = s.Unreachable(sent, err) <= s.Patience
		}
		s.Release(sent, false)
		if !again {
			return err
		}
	}
}

// stopIfHopeless stops all writes if one after another ends as unknown, or is refused by a proxy before the service: the
// next ones would too. It allows for twice as many as are in flight together, and for sixteen at least. Writes whose
// outcome is unknown since an earlier run say nothing about the service.
func (s *Sender) stopIfHopeless(outcome payments.Outcome, err error) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case outcome.Attempts == 0 && ok && isOfEarlierAttempt(problem.Kind()):
	case outcome.Verdict != payments.Unknown && !isTransient(err) && (!ok || problem.Kind() != payments.KindRefused):
		s.failures.Store(0)
	case s.failures.Add(1) >= int64(max(16, 2*s.most)):
		s.Stop(err)
	}
}

// isOfEarlierAttempt reports whether the outcome of a write that was not sent is unknown because of what was sent before.
func isOfEarlierAttempt(kind payments.Kind) bool {
	return kind == payments.KindOutcomeUnknown || kind == payments.KindBeingSent || kind == payments.KindPaidTwice
}
