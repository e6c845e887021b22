package testkit

import (
	"context"
	"sync"
	"time"
	"unsafe"
)

// A Clock has a wall clock and a monotonic clock, like a machine. It is safe for concurrent use.
type Clock struct {
	mu        sync.Mutex
	wall      time.Time
	monotonic time.Duration
	slept     []time.Duration
}

// NewClock returns a clock whose wall clock shows a time.
func NewClock(wall time.Time) *Clock { return &Clock{wall: wall.Round(0), monotonic: time.Hour} }

// Now returns the time, with a reading of the monotonic clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return withMonotonic(c.wall, c.monotonic)
}

// Advance moves both clocks.
func (c *Clock) Advance(d time.Duration) { c.Move(d, d) }

// Move moves the wall clock, backwards if wall is negative, and the monotonic clock. They diverge when a machine is
// suspended or its time is set.
func (c *Clock) Move(wall, monotonic time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.monotonic = c.wall.Add(wall), c.monotonic+monotonic
}

// Sleep advances the clock instead of waiting, unless the context has ended.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.slept = append(c.slept, d)
	c.mu.Unlock()
	c.Advance(d)
	return nil
}

// Slept returns the durations that were slept, in order.
func (c *Clock) Slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.slept...)
}

// withMonotonic returns a time.Time with readings of both clocks, for which package time has no function. The source of
// time.Time documents the layout.
func withMonotonic(wall time.Time, monotonic time.Duration) time.Time {
	const hasMonotonic, bitsOfNanoseconds, from1885 = 1 << 63, 30, -2682288000 // from1885 is in seconds since 1970
	t := wall
	layout := (*struct {
		wall uint64
		ext  int64
	})(unsafe.Pointer(&t)) //nolint:gosec // the layout is that of the standard library
	layout.wall = hasMonotonic | uint64(wall.Unix()-from1885)<<bitsOfNanoseconds | uint64(wall.Nanosecond())
	layout.ext = int64(monotonic)
	return t
}
