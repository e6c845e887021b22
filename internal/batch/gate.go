package batch

import (
	"context"
	"sync"
	"time"
)

const (
	defaultPause = time.Second      // after a refusal for the rate that does not say how long
	longestPause = 15 * time.Minute // a service that asks for more, in one or without another answer in between, is not waited for
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// gate says when the next row may leave: it bounds how many are under way at once and how many leave in a second. A
// service that is asked too often halves the first bound, and every answer that is good raises it again a little
// (additive increase, multiplicative decrease, as RFC 5681 section 3.1 has it for congestion).
type gate struct {
	most  int
	every time.Duration // between two rows; zero: no bound
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	trouble   func(error) // tells that the service cannot be reached
	recovered func()      // tells that it answers again

	mu      sync.Mutex
	limit   float64
	inside  int
	freed   chan struct{} // closed when there may be room
	until   time.Time     // nothing leaves before
	next    time.Time     // of the rate
	down    time.Time     // since when the service cannot be reached; zero: it can
	busy    time.Time     // since when it has refused everything for the rate; zero: it has not
	backoff time.Duration
}

func newGate(most, rate int, now func() time.Time, sleep func(context.Context, time.Duration) error) *gate {
	g := &gate{most: most, now: now, sleep: sleep, limit: float64(most), freed: make(chan struct{})}
	if rate > 0 {
		g.every = time.Second / time.Duration(rate)
	}
	return g
}

// enter waits until a row may leave. The error is the context's.
func (g *gate) enter(ctx context.Context) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		wait, freed := g.try()
		switch {
		case wait == 0 && freed == nil:
			return nil
		case freed != nil:
			select {
			case <-freed:
			case <-ctx.Done():
			}
		default:
			_ = g.sleep(ctx, wait) // the context is looked at above
		}
	}
}

func (g *gate) try() (wait time.Duration, freed chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside >= int(g.limit) {
		return 0, g.freed
	}
	if g.every > 0 || !g.until.IsZero() {
		now := g.now()
		if wait := g.until.Sub(now); wait > 0 {
			return wait, nil
		}
		g.until = time.Time{}
		if wait := g.next.Sub(now); g.every > 0 && wait > 0 {
			return wait, nil
		}
		if g.next.Before(now.Add(-time.Second)) {
			g.next = now // what was not used is not made up for
		}
		g.next = g.next.Add(g.every)
	}
	g.inside++
	return 0, nil
}

// leave makes room. Answered says that the service did its work.
func (g *gate) leave(answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if answered {
		g.limit = min(float64(g.most), g.limit+1/g.limit)
		if !g.down.IsZero() {
			g.recovered()
		}
		g.down, g.busy, g.backoff = time.Time{}, time.Time{}, 0
	}
	g.wake()
}

// slow obeys a refusal for the rate, and tells for how long there has been no other answer.
func (g *gate) slow(pause time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if g.busy.IsZero() {
		g.busy = now
	}
	if g.until.Before(now) { // the refusals of rows that were under way together count once
		g.limit = max(1, g.limit/2)
	}
	if pause <= 0 {
		pause = defaultPause
	}
	if until := now.Add(pause); until.After(g.until) {
		g.until = until
	}
	g.wake()
	return now.Sub(g.busy)
}

// unreachable waits before the next try, and tells for how long the service has not been reached.
func (g *gate) unreachable(err error) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if g.down.IsZero() {
		g.down = now
		g.trouble(err)
	}
	if g.until.Before(now) {
		g.backoff = min(max(2*g.backoff, firstBackoff), lastBackoff)
		g.until = now.Add(g.backoff)
	}
	return now.Sub(g.down)
}

func (g *gate) wake() {
	close(g.freed)
	g.freed = make(chan struct{})
}
