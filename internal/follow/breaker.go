package follow

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// firstBackoff and longestBackoff bound the pause before a service in trouble is tried again: soon enough for news,
	// and not a burden for a service that is down for hours.
	firstBackoff   = time.Second
	longestBackoff = 30 * time.Second
	// mostFailures is how many failures in a row, each of which may concern one subject only, count as an outage.
	mostFailures = 3
)

// A circuitBreaker holds requests back while the service is in trouble, and lets one at a time through to find out
// whether the trouble is over. A Retry-After of the service is honoured.
type circuitBreaker struct {
	health  *health
	backoff wait.Backoff
	probe   chan struct{} // with room for the one request that goes through an open breaker

	mu       sync.Mutex
	failures int       // in a row
	opened   int       // how often in a row the breaker opened; zero means that it is closed
	until    time.Time // no request is sent before, while the breaker is open
}

// call sends a request as soon as the breaker lets it, and learns from its error.
func (b *circuitBreaker) call(ctx context.Context, request func() error) error {
	if isOpen, _ := b.state(); isOpen {
		select {
		case b.probe <- struct{}{}:
			defer func() { <-b.probe }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		_, pause := b.state()
		if err := wait.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	err := request()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.observe(err)
	return err
}

func (b *circuitBreaker) state() (isOpen bool, pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opened > 0, time.Until(b.until)
}

// observe opens or closes the breaker after a request.
func (b *circuitBreaker) observe(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil || !isTemporary(err) && !isTokenRejection(err) { // the service answers
		b.failures, b.opened, b.until = 0, 0, time.Time{}
		b.health.observe(nil)
		return
	}
	if b.opened > 0 && time.Now().Before(b.until) {
		return // the request was on its way before the breaker opened
	}
	b.failures++
	if b.opened == 0 && b.failures < mostFailures && !affectsAll(err) {
		return
	}
	b.opened++
	b.until = time.Now().Add(b.backoff.Pause(b.opened, payments.RetryAfter(err)))
	b.health.observe(err)
}
