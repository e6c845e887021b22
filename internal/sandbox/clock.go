package sandbox

import (
	"sync"
	"time"

	"github.com/payctl/payctl/internal/service"
)

// precision is the finest moment that the service tells.
const precision = time.Millisecond

// RealClock is the machine's clock.
type RealClock struct{}

var _ service.Clock = RealClock{}

// Now implements service.Clock.
func (RealClock) Now() time.Time { return time.Now().UTC().Truncate(precision) }

// Until implements service.Clock.
func (RealClock) Until(t time.Time) (time.Duration, bool) { return time.Until(t), true }

// ManualClock stands still until it is advanced.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

var _ service.Clock = (*ManualClock)(nil)

// NewManualClock returns a clock that shows start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start.UTC().Truncate(precision)}
}

// Now implements service.Clock.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Until implements service.Clock: a manual clock never moves by itself.
func (*ManualClock) Until(time.Time) (time.Duration, bool) { return 0, false }

// Advance moves the clock forward.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d.Truncate(precision))
}
