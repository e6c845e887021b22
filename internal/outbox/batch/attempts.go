package batch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// maxOutage is how long an unreachable service is tried again: about as long as a restart takes.
const maxOutage = time.Minute

// longestPause bounds the pause that a service may ask for, and the time that it answers only 429. A person may wait
// that long at a terminal. A longer pause is better left to a later run.
const longestPause = 15 * time.Minute

// backoff paces the attempts when the service cannot be reached, or asks for a pause without its length. They resume
// within seconds when that ends.
var backoff = wait.Backoff{First: 500 * time.Millisecond, Longest: 10 * time.Second}

// A pace controls all attempts of a Sender. It keeps the rate, waits out outages and 429s, and stops when no other
// write could succeed.
type pace struct {
	limiter *rate.Limiter

	mu            sync.Mutex
	until         time.Time     // nothing is sent before
	failing       time.Time     // since when no attempt was served; zero means the last one was
	longest       time.Duration // how long that may last: an outage may be shorter than 429s
	failures      int           // since then; attempts in flight together count once
	isUnreachable bool          // Trouble was called
	fruitless     int           // writes in succession that end as unknown, or that a proxy refuses
}

// A nextStep is what to do after an attempt.
type nextStep uint8

const (
	ends            nextStep = iota // the write has its outcome
	waitRateLimited                 // too many requests: try again later
	waitUnreachable                 // nothing was sent: try again later
	stopAll                         // nothing was sent, and no other write could succeed
)

// afterAttempt returns what to do after an attempt with an outcome.
func afterAttempt(o effect.Result) nextStep {
	problem, ok := errors.AsType[*payments.ProblemError](o.Err)
	switch {
	case o.Outcome != effect.NotSent && o.Attempts > 0, o.Outcome == effect.Refused, o.IsDone():
		return ends
	case !ok && errors.Is(o.Err, context.DeadlineExceeded):
		return waitUnreachable // the machine slept, or the program was stopped, while the write was about to leave
	case !ok && o.Outcome == effect.NotSent:
		return stopAll // no credential, or the program ends
	case !ok, isOfEarlierAttempt(problem.ProblemType()):
		return ends
	case problem.Status == 429 && problem.RetryAfter <= longestPause:
		return waitRateLimited
	case problem.Status == 429, problem.Status == 401, slices.Contains(persistent, problem.ProblemType()):
		return stopAll
	case problem.Status >= 500, slices.Contains(transient, problem.ProblemType()):
		return waitUnreachable
	}
	return ends
}

// persistent are the kinds of problems that every other write would have too. Transient ones pass.
var (
	persistent = []payments.ProblemType{
		payments.ProblemJournal, payments.ProblemMoved, payments.ProblemCredential, payments.ProblemInsecure,
		payments.ProblemInvalidSettings, payments.ProblemUnauthenticated, payments.ProblemInsufficientScope,
	}
	transient = []payments.ProblemType{payments.ProblemUnreachable, payments.ProblemTimeout, payments.ProblemUnusable}
)

// isOfEarlierAttempt reports whether a kind means that an earlier attempt leaves a write unknown.
func isOfEarlierAttempt(kind payments.ProblemType) bool {
	return kind == payments.ProblemOutcomeUnknown || kind == payments.ProblemBeingSent || kind == payments.ProblemPaidTwice
}

// try makes attempts until one has its outcome. It begins none after ctx ends. Attempts run in finishing, so one that
// has begun is finished. isBegun is false if there was none, or if the last one sent nothing.
func (s *Sender) try(
	ctx, finishing context.Context, attempt func(context.Context) effect.Result,
) (result effect.Result, isBegun bool) {
	for {
		began, err := s.await(ctx)
		if err != nil {
			return result, false
		}
		limited, cancel := context.WithTimeout(finishing, s.RowTimeout)
		result = attempt(limited)
		cancel()
		step, failure := afterAttempt(result), result.Err
		if unknown, ok := errors.AsType[*outbox.WriteError](failure); ok && unknown.IsUnanswered {
			failure = unknown.Cause
			step = afterAttempt(effect.Result{Outcome: effect.NotSent, Err: failure})
		}
		switch step {
		case ends:
			s.ended(result, failure, began)
			return result, true
		case stopAll:
			s.stop(failure)
			return result, true
		}
		s.failed(failure, step)
	}
}

// await waits until an attempt may begin, and returns the time. The error is the context's cause.
func (s *Sender) await(ctx context.Context) (now time.Time, err error) {
	now = s.Outbox.Now()
	for pause := s.limiter.ReserveN(now, 1).DelayFrom(now); ; {
		if pause > 0 && ctx.Err() == nil {
			_ = s.Outbox.Sleep(ctx, pause) // the context is checked next
		}
		if ctx.Err() != nil {
			return now, context.Cause(ctx)
		}
		s.mu.Lock()
		now = s.Outbox.Now()
		pause = s.until.Sub(now)
		s.mu.Unlock()
		if pause <= 0 {
			return now, nil
		}
	}
}

// failed pauses after an attempt that did not reach the service or was answered with 429. It stops all writes if that
// lasts too long.
func (s *Sender) failed(err error, step nextStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, pause := s.Outbox.Now(), time.Duration(0)
	if s.failing.IsZero() {
		s.failing = now
	}
	if step == waitRateLimited {
		s.longest = max(s.longest, longestPause)
		pause = payments.RetryAfter(err)
	} else {
		s.longest = max(s.longest, maxOutage)
		if !s.isUnreachable {
			s.isUnreachable = true
			s.Trouble(err)
		}
	}
	if (pause <= 0 || pause == payments.AtOnce) && !s.until.After(now) {
		s.failures++
		pause = backoff.Pause(s.failures, 0)
	}
	if until := now.Add(pause); until.After(s.until) {
		s.until = until
		if step == waitRateLimited {
			s.Pause(until)
		}
	}
	if now.Sub(s.failing) > s.longest {
		s.stop(err)
	}
}

// ended notes that an attempt has its outcome. Only an attempt that began after the trouble shows that it is over.
// Others may have been in flight with the one that failed. It stops all writes after too many fruitless ones in
// succession: twice the number in flight, and at least sixteen. Writes that an earlier run left unknown say nothing
// about the service.
func (s *Sender) ended(result effect.Result, err error, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	served := result.IsDone() || result.Outcome == effect.Refused
	if served && !s.failing.IsZero() && began.After(s.failing) {
		if s.isUnreachable {
			s.Trouble(nil)
		}
		s.failing, s.longest, s.failures, s.isUnreachable = time.Time{}, 0, 0, false
	}
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case result.Attempts == 0 && ok && isOfEarlierAttempt(problem.ProblemType()):
	case result.Outcome != effect.Unknown && (!ok || problem.ProblemType() != payments.ProblemRefused):
		s.fruitless = 0
	default:
		if s.fruitless++; s.fruitless >= max(16, 2*s.Concurrency) {
			s.stop(err)
		}
	}
}
