// Package pace makes attempts at many writes: it holds to a rate, waits out outages and 429s, and stops when no other
// write would fare better.
package pace

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// longestPause bounds the pause that a service may ask for, and the time in which it answers nothing but 429. It
	// is what a person may wait for at a terminal; a longer one is better waited for by a later run.
	longestPause = 15 * time.Minute
	// maxExpired is how many attempts at a write may run out of time before anything was sent. The machine may have slept
	// once, and perhaps twice; after that it is too busy.
	maxExpired = 3
)

// backoff paces the attempts when the service cannot be reached, or asks for a pause and does not say for how long:
// often enough to go on within seconds when that ends.
var backoff = wait.Backoff{First: 500 * time.Millisecond, Longest: 10 * time.Second}

// A Sender makes attempts at many writes. Its caller bounds how many are made at once.
type Sender struct {
	// Concurrency is how many attempts are made at once.
	Concurrency int
	// Rate bounds the attempts in a second; zero: no bound.
	Rate int
	// Patience is how long a service that cannot be reached is tried again.
	Patience time.Duration
	// Timeout bounds one attempt.
	Timeout time.Duration
	// Stop stops all writes, for a reason.
	Stop context.CancelCauseFunc
	// Unreachable is called when an outage of the service begins, and Reachable when it ends. Paused is called when a 429
	// asks for a pause, with its end.
	Unreachable func(error)
	Reachable   func()
	Paused      func(until time.Time)

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error

	mu       sync.Mutex
	limiter  *rate.Limiter
	until    time.Time // nothing is sent before
	outage   trouble   // the service cannot be reached
	limited  trouble   // it answers nothing but 429
	hopeless int       // writes in succession that stopIfHopeless counts
}

// A trouble is a time in which no attempt succeeds.
type trouble struct {
	since    time.Time // zero: there is none
	failures int
}

// ends reports whether the success of an attempt that began at a time ends the trouble. One that began before it, or at the
// same moment, tells nothing: it may have been in flight together with the one that failed.
func (t *trouble) ends(began time.Time) bool {
	if t.since.IsZero() || !began.After(t.since) {
		return false
	}
	*t = trouble{}
	return true
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
	sending, finishing context.Context, attempt func(context.Context) payments.Outcome,
) payments.Outcome {
	for expired := 0; ; {
		began, err := s.await(sending)
		if err != nil {
			return payments.Outcome{Verdict: payments.NotSent, Err: &NotBegunError{err}}
		}
		ctx, cancel := context.WithTimeout(finishing, s.Timeout)
		outcome := attempt(ctx)
		cancel()
		step, failure := next(outcome), outcome.Err
		if unknown, ok := errors.AsType[*outbox.NotLookedUpError](failure); ok {
			failure = unknown.Cause
			step = next(payments.Outcome{Verdict: payments.NotSent, Err: failure})
		}
		s.learn(began, outcome, step, failure)
		if step == tryAgain {
			expired++
		}
		if step == writeEnds || step == stopAll || expired == maxExpired || finishing.Err() != nil {
			return outcome
		}
	}
}

// Ask makes a request that changes nothing, with the same patience as writes are sent.
func (s *Sender) Ask(ctx context.Context, request func(context.Context) error) error {
	for {
		began, err := s.await(ctx)
		if err != nil {
			return err
		}
		err = request(payments.WithoutRateLimitRetry(ctx))
		again := false
		s.mu.Lock()
		switch step := next(payments.Outcome{Verdict: payments.NotSent, Err: err}); {
		case err == nil:
			s.succeeded(began)
		case step == waitRateLimited:
			again = s.isLimited(err) <= longestPause
		case step == waitUnreachable, isTransient(err): // a read may be repeated whatever its outcome
			again = s.isUnreachable(err) <= s.Patience
		}
		s.mu.Unlock()
		if !again {
			return err
		}
	}
}

// await waits until an attempt may be made, and returns the time. The error is the context's cause.
func (s *Sender) await(ctx context.Context) (now time.Time, err error) {
	s.mu.Lock()
	if s.limiter == nil {
		s.limiter = rate.NewLimiter(rate.Inf, 1)
		if s.Rate > 0 {
			s.limiter.SetLimit(rate.Limit(s.Rate))
		}
	}
	now = s.Now()
	pause := s.limiter.ReserveN(now, 1).DelayFrom(now)
	s.mu.Unlock()
	for {
		if err := context.Cause(ctx); err != nil {
			return now, err
		}
		if pause > 0 {
			_ = s.Sleep(ctx, pause) // the context is checked next
		}
		s.mu.Lock()
		now = s.Now()
		pause = s.until.Sub(now)
		s.mu.Unlock()
		if pause <= 0 {
			return now, context.Cause(ctx)
		}
	}
}

// learn notes what the outcome of an attempt tells about the service.
func (s *Sender) learn(began time.Time, outcome payments.Outcome, step nextStep, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case outcome.IsDone():
		s.hopeless = 0
		s.succeeded(began)
	case step == waitRateLimited:
		if s.isLimited(failure) > longestPause {
			s.Stop(failure)
		}
	case step == waitUnreachable:
		if s.isUnreachable(failure) > s.Patience {
			s.Stop(failure)
		}
	case step == stopAll:
		s.Stop(failure)
	case step == writeEnds:
		if outcome.Verdict == payments.Refused {
			s.succeeded(began)
		}
		s.stopIfHopeless(outcome, failure)
	}
}

// succeeded notes that the service has answered an attempt.
func (s *Sender) succeeded(began time.Time) {
	s.limited.ends(began)
	if s.outage.ends(began) {
		s.Reachable()
	}
}

// isLimited pauses after a 429. It returns for how long the service has answered nothing else.
func (s *Sender) isLimited(err error) time.Duration {
	now := s.Now()
	if s.limited.since.IsZero() {
		s.limited.since = now
	}
	s.limited.failures++
	pause := payments.RetryAfter(err)
	if pause <= 0 || pause == payments.AtOnce {
		pause = backoff.Pause(s.limited.failures, 0)
	}
	if until := now.Add(pause); until.After(s.until) {
		s.until = until
		s.Paused(until)
	}
	return now.Sub(s.limited.since)
}

// isUnreachable pauses after an attempt that did not reach the service. It returns for how long the outage has lasted.
func (s *Sender) isUnreachable(err error) time.Duration {
	now := s.Now()
	if s.outage.since.IsZero() {
		s.outage.since = now
		s.Unreachable(err)
	}
	if !s.until.After(now) { // attempts that were in flight together count once
		s.outage.failures++
		s.until = now.Add(backoff.Pause(s.outage.failures, 0))
	}
	return now.Sub(s.outage.since)
}

// stopIfHopeless stops all writes if one after another ends as unknown, or is refused by a proxy before the service: the
// next ones would too. It allows for twice as many as are in flight together, and for sixteen at least. Writes whose
// outcome is unknown since an earlier run say nothing about the service.
func (s *Sender) stopIfHopeless(outcome payments.Outcome, err error) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case outcome.Attempts == 0 && ok && isOfEarlierAttempt(problem.Kind()):
	case outcome.Verdict != payments.Unknown && !isTransient(err) && (!ok || problem.Kind() != payments.KindRefused):
		s.hopeless = 0
	default:
		if s.hopeless++; s.hopeless >= max(16, 2*s.Concurrency) {
			s.Stop(err)
		}
	}
}
