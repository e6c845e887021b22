// Package pace decides when the next of many writes may be sent, and what the failure of one means for it and for the
// others: it waits out outages and 429s, and stops when no other write would fare better.
package pace

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// defaultPause is the pause after a 429 without Retry-After.
	defaultPause = time.Second
	// longestPause bounds the pause that a service may ask for, and the time in which it answers nothing but 429. It
	// is what a person may wait for at a terminal; a longer one is better waited for by a later run.
	longestPause = 15 * time.Minute
)

const (
	// PausedPerRequest bounds the writes that pause between two attempts, as a multiple of the requests in flight. With
	// a concurrency of 8, as many writes are then under way as with the largest of 64.
	PausedPerRequest = 8
	// LongestResume bounds how long a write waits for room after its pause. It has a deadline to find out its outcome,
	// which slow requests of other writes must not use up.
	LongestResume = 2 * time.Second
)

// unreachableBackoff paces the attempts in an outage: often enough to go on within seconds when it ends.
var unreachableBackoff = wait.Backoff{First: 500 * time.Millisecond, Longest: 10 * time.Second}

// atOnceBackoff paces the attempts if a service answers one 429 after the other with a Retry-After of zero.
var atOnceBackoff = wait.Backoff{First: 50 * time.Millisecond, Longest: defaultPause}

// A Limiter decides when the next request may be sent. It bounds how many are in flight and how many are sent in a
// second. A 429 halves the first bound, and every good response raises it a little (additive increase, multiplicative
// decrease, as RFC 5681 section 3.1 does for congestion).
//
// Responses overtake each other. One is news about the service only if its request was sent after the service was
// last seen to change: the response to a request from before an outage must not end the outage.
type Limiter struct {
	most  int
	every time.Duration // between two requests; zero: no bound
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	// UnreachableSince is called when an outage begins, and ReachableAgain when it ends.
	UnreachableSince func(error)
	ReachableAgain   func()
	// Paused is called when a 429 asks for a pause, with its end.
	Paused func(until time.Time)

	mu       sync.Mutex
	limit    float64
	inFlight int
	paused   int           // calls that pause, or wait for room afterwards
	resuming int           // those of them that wait for room, before any new request
	freed    chan struct{} // closed when there may be room
	until    time.Time     // nothing is sent before
	next     time.Time     // request by the rate

	sent        Ticket    // the last one
	outage      time.Time // since when the service cannot be reached; zero: it can
	outageEdge  Ticket    // the last request that was sent when an outage began or ended
	failures    int       // of attempts in the outage
	limited     time.Time // since when the service answers nothing but 429; zero: it does not
	limitedEdge Ticket    // the last request that was sent when that began
	refusals    int       // 429s that asked to be sent again at once, since then
}

// A Ticket is the number of a request in the order of sending.
type Ticket uint64

// NewLimiter returns a Limiter of requests: at most so many in flight, and rate of them in a second; zero: no bound.
func NewLimiter(most, rate int, now func() time.Time, sleep func(context.Context, time.Duration) error) *Limiter {
	l := &Limiter{most: most, now: now, sleep: sleep, limit: float64(most), freed: make(chan struct{})}
	if rate > 0 {
		l.every = time.Second / time.Duration(rate)
	}
	return l
}

// Acquire waits until a request may be sent. The caller must release the ticket. The error is the context's cause.
func (l *Limiter) Acquire(ctx context.Context) (Ticket, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		sent, pause, freed := l.try()
		switch {
		case sent > 0:
			return sent, nil
		case freed != nil:
			select {
			case <-freed:
			case <-ctx.Done():
			}
		default:
			_ = l.sleep(ctx, pause) // the loop checks the context
		}
	}
}

// try returns a ticket, or how long to wait for one, or a channel that is closed when there may be room.
func (l *Limiter) try() (sent Ticket, pause time.Duration, freed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight+l.resuming >= int(l.limit) {
		return 0, 0, l.freed
	}
	if l.every > 0 || !l.until.IsZero() {
		now := l.now()
		if pause := l.until.Sub(now); pause > 0 {
			return 0, pause, nil
		}
		l.until = time.Time{}
		if pause := l.next.Sub(now); l.every > 0 && pause > 0 {
			return 0, pause, nil
		}
		if l.next.Before(now.Add(-time.Second)) {
			l.next = now // time without requests is not made up for
		}
		l.next = l.next.Add(l.every)
	}
	l.inFlight++
	l.sent++
	return l.sent, 0, nil
}

// Leave makes room while the call of a request pauses before its next attempt. It returns false if too many pause.
func (l *Limiter) Leave() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused == l.most*PausedPerRequest {
		return false
	}
	l.paused++
	l.inFlight--
	l.wake()
	return true
}

// Rejoin returns the ticket of the next attempt of a call that paused. The attempt goes before new requests, and counts
// toward the rate. It goes although there is no room when the context ends or LongestResume has passed.
func (l *Limiter) Rejoin(ctx context.Context) Ticket {
	ctx, cancel := context.WithTimeout(ctx, LongestResume)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resuming++
	for l.inFlight >= int(l.limit) && ctx.Err() == nil {
		freed := l.freed
		l.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
		}
		l.mu.Lock()
	}
	l.paused--
	l.resuming--
	l.inFlight++
	l.sent++
	l.next = l.next.Add(l.every)
	l.wake() // a new request may have waited for this one alone
	return l.sent
}

// Release makes room for another request. Answered reports that the service answered this one and did its work.
func (l *Limiter) Release(sent Ticket, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	if answered {
		l.limit = min(float64(l.most), l.limit+1/l.limit)
		if !l.outage.IsZero() && sent > l.outageEdge {
			l.outage, l.outageEdge, l.failures = time.Time{}, l.sent, 0
			l.ReachableAgain()
		}
		if sent > l.limitedEdge {
			l.limited, l.refusals = time.Time{}, 0
		}
	}
	l.wake()
}

// RateLimited slows down after a 429 that asked for a pause; zero: it named none. It returns for how long the service
// has answered nothing else.
func (l *Limiter) RateLimited(pause time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.limited.IsZero() {
		l.limited, l.limitedEdge = now, l.sent
	}
	switch pause {
	case 0:
		pause = defaultPause
	case payments.AtOnce:
		// As many may come from requests that were in flight together. Only after them does it repeat.
		if l.refusals++; l.refusals <= l.most {
			return now.Sub(l.limited)
		}
		pause = atOnceBackoff.Pause(l.refusals-l.most, 0)
	}
	if l.until.Before(now) { // those of requests that were in flight together count once
		l.limit = max(1, l.limit/2)
	}
	if until := now.Add(pause); until.After(l.until) {
		l.until = until
		l.Paused(until)
	}
	l.wake()
	return now.Sub(l.limited)
}

// Unreachable pauses after a request that did not reach the service. It returns for how long the outage has lasted;
// zero if the service was reached since the request was sent.
func (l *Limiter) Unreachable(sent Ticket, err error) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.outage.IsZero() && sent <= l.outageEdge {
		return 0
	}
	now := l.now()
	if l.outage.IsZero() {
		l.outage, l.outageEdge = now, l.sent
		l.UnreachableSince(err)
	}
	if l.until.Before(now) { // attempts that were in flight together count once
		l.failures++
		l.until = now.Add(unreachableBackoff.Pause(l.failures, 0))
	}
	return now.Sub(l.outage)
}

// wake lets the waiting callers try again.
func (l *Limiter) wake() {
	close(l.freed)
	l.freed = make(chan struct{})
}
