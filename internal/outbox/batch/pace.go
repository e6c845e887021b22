package batch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// longestPause bounds the pause that a service may ask for, and the time in which it answers nothing but 429. It
	// is what a person may wait for at a terminal; a longer one is better waited for by a later run.
	longestPause = 15 * time.Minute
)

// backoff paces the attempts when the service cannot be reached, or asks for a pause and does not say for how long:
// often enough to go on within seconds when that ends.
var backoff = wait.Backoff{First: 500 * time.Millisecond, Longest: 10 * time.Second}

// Troubles are told when the service does not do what it should; by several goroutines.
type Troubles interface {
	// Unreachable is called when an outage of the service begins, and Reachable when it ends.
	Unreachable(err error)
	Reachable()
	// Pause is called when the service asks for a pause, with its end.
	Pause(until time.Time)
}

// A pacer makes attempts at many writes: it holds to the rate, waits out outages and 429s, and stops when no other write
// would fare better.
type pacer struct {
	*Sender
	Troubles
	stop    context.CancelCauseFunc
	limiter *rate.Limiter

	mu       sync.Mutex
	until    time.Time     // nothing is sent before
	failing  time.Time     // since when no attempt was served; zero: the last one was
	longest  time.Duration // how long that may last: an outage for less time than 429s
	failures int           // since then; attempts that were in flight together count once
	isAway   bool          // it is told that the service cannot be reached
	hopeless int           // writes in succession that stopIfHopeless counts
}

func newPacer(s *Sender, troubles Troubles, stop context.CancelCauseFunc) *pacer {
	limit := rate.Inf
	if s.Rate > 0 {
		limit = rate.Limit(s.Rate)
	}
	return &pacer{Sender: s, Troubles: troubles, stop: stop, limiter: rate.NewLimiter(limit, 1)}
}

// A nextStep is what to do after an attempt at a write.
type nextStep uint8

const (
	writeEnds       nextStep = iota // the write has its outcome
	waitRateLimited                 // the service is asked too often: send the write again later
	waitUnreachable                 // nothing was sent: send the write again later
	stopAll                         // nothing was sent, and no other write would fare better
)

// next returns what to do after an attempt at a write with this outcome.
func next(o payments.Outcome) nextStep {
	problem, ok := errors.AsType[*payments.ProblemError](o.Err)
	switch {
	case o.Verdict != payments.NotSent && o.Attempts > 0, o.Verdict == payments.Refused:
		return writeEnds
	case !ok && errors.Is(o.Err, context.DeadlineExceeded):
		return waitUnreachable // the machine slept, or the program was stopped, while the write was about to leave
	case !ok && o.Verdict == payments.NotSent:
		return stopAll // no credential, or the program ends
	case !ok, isOfEarlierAttempt(problem.Kind()):
		return writeEnds
	case problem.Kind() == payments.KindUnreachable:
		return waitUnreachable
	case problem.Status == 429 && problem.RetryAfter <= longestPause:
		return waitRateLimited
	case problem.Status == 429, problem.Status == 401, slices.Contains(forAll, problem.Kind()):
		return stopAll
	}
	return writeEnds
}

// forAll are the kinds of problems that every other write would have too.
var forAll = []payments.Kind{
	payments.KindJournal, payments.KindMoved, payments.KindCredential, payments.KindInsecure, payments.KindInvalidSettings,
	payments.KindUnauthenticated, payments.KindInsufficientScope,
}

// isTransient reports whether a read that failed like this is worth another attempt.
func isTransient(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && (problem.Status >= 500 || problem.Kind() == payments.KindTimeout ||
		problem.Kind() == payments.KindUnusable)
}

// isOfEarlierAttempt reports whether the outcome of a write that was not sent is unknown because of what was sent before.
func isOfEarlierAttempt(kind payments.Kind) bool {
	return kind == payments.KindOutcomeUnknown || kind == payments.KindBeingSent || kind == payments.KindPaidTwice
}

// send makes attempts at a write until its outcome is known, which is that of the last attempt. When sending ends no
// attempt is begun; attempts run in finishing. IsBegun is false if there was none.
func (p *pacer) send(
	sending, finishing context.Context, attempt func(context.Context) payments.Outcome,
) (outcome payments.Outcome, isBegun bool) {
	for {
		began, err := p.await(sending)
		if err != nil {
			return outcome, false
		}
		ctx, cancel := context.WithTimeout(finishing, p.RowTimeout)
		outcome = attempt(ctx)
		cancel()
		step, failure := next(outcome), outcome.Err
		if unknown, ok := errors.AsType[*outbox.NotLookedUpError](failure); ok {
			failure = unknown.Cause
			step = next(payments.Outcome{Verdict: payments.NotSent, Err: failure})
		}
		switch step {
		case writeEnds:
			if outcome.IsDone() || outcome.Verdict == payments.Refused {
				p.served(began)
			}
			p.stopIfHopeless(outcome, failure)
			return outcome, true
		case stopAll:
			p.stop(failure)
			return outcome, true
		case waitRateLimited, waitUnreachable:
			if p.failed(failure, step) {
				p.stop(failure) // which the next await notices
			}
		}
	}
}

// ask makes a request that changes nothing, with the same patience as writes are sent.
func (p *pacer) ask(ctx context.Context, request func(context.Context) error) error {
	for {
		began, err := p.await(ctx)
		if err != nil {
			return err
		}
		if err = request(payments.WithoutRateLimitRetry(ctx)); err == nil {
			p.served(began)
			return nil
		}
		step := next(payments.Outcome{Verdict: payments.NotSent, Err: err})
		isServed := step != waitRateLimited && step != waitUnreachable && !isTransient(err)
		if isServed || p.failed(err, step) { // a read may be repeated whatever its outcome
			return err
		}
	}
}

// await waits until an attempt may be made, and returns the time. The error is the context's cause.
func (p *pacer) await(ctx context.Context) (now time.Time, err error) {
	now = p.Outbox.Now()
	pause := p.limiter.ReserveN(now, 1).DelayFrom(now)
	for {
		if err := context.Cause(ctx); err != nil {
			return now, err
		}
		if pause > 0 {
			_ = p.Outbox.Sleep(ctx, pause) // the context is checked next
		}
		p.mu.Lock()
		now = p.Outbox.Now()
		pause = p.until.Sub(now)
		p.mu.Unlock()
		if pause <= 0 {
			return now, context.Cause(ctx)
		}
	}
}

// served notes that the service has answered an attempt. One that began before the trouble, or at the same moment, tells
// nothing: it may have been in flight together with the one that failed.
func (p *pacer) served(began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing.IsZero() || !began.After(p.failing) {
		return
	}
	if p.isAway {
		p.Reachable()
	}
	p.failing, p.longest, p.failures, p.isAway = time.Time{}, 0, 0, false
}

// failed pauses after an attempt that did not reach the service, or that it answered with 429. It reports whether this has
// lasted too long.
func (p *pacer) failed(err error, step nextStep) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, pause := p.Outbox.Now(), time.Duration(0)
	if p.failing.IsZero() {
		p.failing = now
	}
	if step == waitRateLimited {
		p.longest = max(p.longest, longestPause)
		pause = payments.RetryAfter(err)
	} else {
		p.longest = max(p.longest, p.Patience)
		if !p.isAway {
			p.isAway = true
			p.Unreachable(err)
		}
	}
	if (pause <= 0 || pause == payments.AtOnce) && !p.until.After(now) {
		p.failures++
		pause = backoff.Pause(p.failures, 0)
	}
	if until := now.Add(pause); until.After(p.until) {
		p.until = until
		if step == waitRateLimited {
			p.Pause(until)
		}
	}
	return now.Sub(p.failing) > p.longest
}

// stopIfHopeless stops all writes if one after another ends as unknown, or is refused by a proxy before the service: the
// next ones would too. It allows for twice as many as are in flight together, and for sixteen at least. Writes whose
// outcome is unknown since an earlier run say nothing about the service.
func (p *pacer) stopIfHopeless(outcome payments.Outcome, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case outcome.Attempts == 0 && ok && isOfEarlierAttempt(problem.Kind()):
	case outcome.Verdict != payments.Unknown && !isTransient(err) && (!ok || problem.Kind() != payments.KindRefused):
		p.hopeless = 0
	default:
		if p.hopeless++; p.hopeless >= max(16, 2*p.Concurrency) {
			p.stop(err)
		}
	}
}

// LookUp makes several requests that change nothing, some at once, until one fails for good: outages and rate limits are
// waited out as those of rows are. Each is told by its number.
func (s *Sender) LookUp(
	ctx context.Context, troubles Troubles, count int, request func(ctx context.Context, i int) error,
) error {
	p := newPacer(s, troubles, nil)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.Concurrency)
	for i := range count {
		group.Go(func() error {
			return p.ask(ctx, func(ctx context.Context) error { return request(ctx, i) })
		})
	}
	return group.Wait()
}
