package postgres

import (
	"sync"
	"sync/atomic"
	"time"
)

// A clock tells the time by the database's clock, so that the times of several machines are comparable.
type clock struct {
	mu      sync.Mutex
	reading atomic.Pointer[clockReading]
	last    atomic.Int64 // the latest time that was returned, in nanoseconds since 1970
}

// A clockReading is what the database's clock showed.
type clockReading struct {
	local  time.Time // by this machine's clock, in the middle of the round trip
	remote time.Time
	exact  time.Duration // how far remote can be from the truth: half the round trip
}

const (
	// clockDrift is how fast two clocks drift apart at the most: 100 ppm is usual for machines without time
	// synchronisation.
	clockDrift = 10_000
	// clockInterval is how long a reading is used before a transaction reads the clock again, which costs it a few
	// microseconds. By then it may be wrong by 6 ms.
	clockInterval = time.Minute
	// clockReadings is how often a new connection reads the clock at most, until it is exact. The first of them can take
	// long on a busy machine, and what happens on two servers within its error would be in the wrong order.
	clockReadings = 5
	// maxHold is how long Now stands still if a new reading is earlier than what it has returned. A clock that was set
	// back by more has been corrected.
	maxHold = 10 * time.Second
)

// read takes a reading over that began and ended at times of this machine's clock. It keeps the present one if that is
// more exact and the two do not contradict each other.
func (c *clock) read(began, ended time.Time, remote time.Time) {
	half := ended.Sub(began) / 2
	next := &clockReading{began.Add(half), remote, half}
	c.mu.Lock()
	defer c.mu.Unlock()
	if present := c.reading.Load(); present != nil {
		age := next.local.Sub(present.local)
		exact := present.exact + age/clockDrift
		difference := next.remote.Sub(present.remote.Add(age)).Abs()
		if exact < next.exact && difference <= exact+next.exact {
			return
		}
	}
	c.reading.Store(next)
}

// due reports whether the clock should be read again.
func (c *clock) due() bool {
	present := c.reading.Load()
	return present == nil || time.Since(present.local) > clockInterval
}

// isExact reports whether the clock is wrong by a millisecond at the most.
func (c *clock) isExact() bool {
	present := c.reading.Load()
	return present != nil && present.exact+time.Since(present.local)/clockDrift <= time.Millisecond
}

// now returns the time by the database's clock. It does not run backwards.
func (c *clock) now() time.Time {
	now := time.Now()
	if present := c.reading.Load(); present != nil {
		now = present.remote.Add(now.Sub(present.local))
	}
	for {
		last := c.last.Load()
		if behind := time.Duration(last - now.UnixNano()); behind > 0 && behind < maxHold {
			return time.Unix(0, last).UTC()
		}
		if c.last.CompareAndSwap(last, now.UnixNano()) {
			return now.UTC()
		}
	}
}
