package sandbox

import (
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// precision is the unit of the times that the service shows.
const precision = time.Millisecond

// latest is where every clock stops. RFC 3339, with its four digits for the year, can still express a year after it.
var latest = time.Date(9998, time.January, 1, 0, 0, 0, 0, time.UTC)

// longestWait bounds the result of Until. The caller then asks again.
const longestWait = time.Hour

// A Clock is the clock of one world. It runs at the machine's pace, at a multiple of it, or only when advanced. The
// mode can change at any time. The clock goes back only when the world is reset. It is safe for concurrent use.
type Clock struct {
	machine func() time.Time
	state   atomic.Pointer[store.Clock]
}

var _ service.Clock = (*Clock)(nil)

// NewManualClock returns a clock that starts at start and moves only when advanced.
func NewManualClock(start time.Time) *Clock {
	c := &Clock{machine: time.Now}
	c.set(store.Clock{Mode: payments.ClockModeManual, Shown: start.UTC().Truncate(precision)})
	return c
}

func (c *Clock) set(state store.Clock) { c.state.Store(&state) }

// Now implements service.Clock.
func (c *Clock) Now() time.Time { return timeOf(*c.state.Load(), c.machine()) }

// Shows implements service.Clock.
func (c *Clock) Shows(stored store.Clock) time.Time { return timeOf(stored, c.machine()) }

// timeOf returns the time of a clock when the machine's clock shows machine.
func timeOf(state store.Clock, machine time.Time) time.Time {
	if state.Scale == 0 {
		return state.Shown
	}
	elapsed := machine.Round(0).Sub(state.Since).Microseconds() // by the wall clock, which runs while the machine sleeps
	if elapsed <= 0 {
		return state.Shown
	}
	scale := int64(state.Scale)
	start := state.Shown.UnixMicro()
	if elapsed >= (latest.UnixMicro()-start)/scale {
		return latest
	}
	return time.UnixMicro(start + elapsed*scale).UTC().Truncate(precision)
}

// Until implements service.Clock.
func (c *Clock) Until(t time.Time) (wait time.Duration, ok bool) {
	state := c.state.Load()
	if state.Scale == 0 || t.After(latest) {
		return 0, false
	}
	scale := int64(state.Scale)
	t = t.Add(precision - 1).Truncate(precision) // the clock shows no time between this one and t
	needed := (t.UnixMicro() - state.Shown.UnixMicro() + scale - 1) / scale
	left := needed - c.machine().Round(0).Sub(state.Since).Microseconds()
	return min(time.Duration(max(left, 0))*time.Microsecond, longestWait), true
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	state := *c.state.Load()
	machine := c.machine()
	c.set(restarted(state, timeOf(state, machine).Add(d), machine))
}

// restarted returns a clock that runs like state and shows now, or latest if that is earlier.
func restarted(state store.Clock, now, machine time.Time) store.Clock {
	if now.After(latest) {
		now = latest
	}
	state.Shown, state.Since = now.UTC().Truncate(precision), machine.UTC().Round(0).Truncate(precision)
	return state
}
