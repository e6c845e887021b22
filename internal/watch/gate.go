package watch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Bounds of the wait between two attempts while a service is in trouble.
const (
	firstBackoff   = time.Second
	longestBackoff = 30 * time.Second
	// suspicious is how many failures in a row make one thing's trouble the whole service's.
	suspicious = 3
)

// A gate holds everybody back while the service is in trouble, and lets one at a time find out whether it still is, so that
// a service that comes back is not met by all at once. Retry-After is obeyed.
type gate struct {
	condition *condition
	first     time.Duration // backoff

	mu       sync.Mutex
	failures int // in a row
	shut     bool
	trying   bool
	backoff  time.Duration
	until    time.Time
	changed  chan struct{} // closed when the gate changes
}

func newGate(c *condition, first time.Duration) *gate {
	return &gate{condition: c, first: first, changed: make(chan struct{})}
}

// pass makes a call when the gate lets it. A failure that may pass shuts the gate where it tells of the whole service.
func (g *gate) pass(ctx context.Context, call func() error) error {
	probing, err := g.enter(ctx)
	if err != nil {
		return err
	}
	err = call()
	if ctx.Err() != nil {
		g.leave(probing, func() {})
		return context.Cause(ctx)
	}
	g.leave(probing, func() { g.learn(probing, err) })
	return err
}

// isShut says whether the service is in trouble.
func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// enter waits until a call may be made. Probing says that it is the one that finds out whether the trouble is over.
func (g *gate) enter(ctx context.Context) (probing bool, err error) {
	for {
		g.mu.Lock()
		wait, changed := time.Until(g.until), g.changed
		if !g.shut || wait <= 0 && !g.trying {
			probing := g.shut
			g.trying = g.trying || probing
			g.mu.Unlock()
			return probing, nil
		}
		g.mu.Unlock()
		if err := sleepUnless(ctx, wait, changed); err != nil {
			return false, err
		}
	}
}

// sleepUnless waits for a time, if it is in the future, or for a channel to be closed.
func sleepUnless(ctx context.Context, wait time.Duration, changed <-chan struct{}) error {
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-changed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

func (g *gate) leave(probing bool, learn func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if probing {
		g.trying = false
	}
	learn()
	close(g.changed)
	g.changed = make(chan struct{})
}

// learn takes in how a call ended. Of those that were under way when the gate was shut, failures say nothing new.
func (g *gate) learn(probing bool, err error) {
	switch {
	case err == nil, !passing(err) && !isRejection(err): // it answers
		g.failures, g.backoff, g.shut = 0, 0, false
		g.condition.is(nil)
		return
	case g.shut && !probing:
		return
	}
	g.failures++
	if !g.shut && !ofService(err) && g.failures < suspicious {
		return
	}
	g.shut = true
	g.backoff = min(max(2*g.backoff, g.first), max(longestBackoff, g.first))
	g.until = time.Now().Add(max(jitter(g.backoff), payments.RetryAfter(err)))
	g.condition.is(err)
}

// ofService says whether a failure tells of the whole service, not of what was asked for alone.
func ofService(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	if !ok {
		return false
	}
	switch refusal.Kind() {
	case payments.KindUnreachable, payments.KindTimeout, payments.KindRateLimited, payments.KindUnavailable:
		return true
	}
	return refusal.Status == 429 || refusal.Status == 502 || refusal.Status == 503 || refusal.Status == 504
}
