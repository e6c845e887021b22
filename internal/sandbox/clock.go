package sandbox

import (
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// precision is the finest moment that the service tells.
const precision = time.Millisecond

// latest is where every clock stops, so that a year after it can still be told (RFC 3339 has four digits for it).
var latest = time.Date(9998, time.January, 1, 0, 0, 0, 0, time.UTC)

// earliest is the first moment that identifiers can tell.
var earliest = time.Unix(0, 0)

// longestSleep is the longest that Until tells to wait; whoever waits looks again then.
const longestSleep = time.Hour

// A Clock is the clock of one world. It runs at the machine's pace, at a multiple of it, or not by itself, and can be
// changed from one to another at any time. It never goes back, but to begin anew. It is safe for concurrent use.
type Clock struct {
	machine func() time.Time
	state   atomic.Pointer[store.Clock]
}

var _ service.Clock = (*Clock)(nil)

// NewManualClock returns a clock that shows start and stands still until it is advanced.
func NewManualClock(start time.Time) *Clock {
	c := &Clock{machine: time.Now}
	c.set(store.Clock{Mode: payments.ClockModeManual, Shown: start.UTC().Truncate(precision)})
	return c
}

func (c *Clock) set(state store.Clock) { c.state.Store(&state) }

// Now implements service.Clock.
func (c *Clock) Now() time.Time {
	return shows(*c.state.Load(), c.machine())
}

// Shows implements service.Clock.
func (c *Clock) Shows(kept store.Clock) time.Time { return shows(kept, c.machine()) }

// shows is what a clock shows at a moment of the machine's clock.
func shows(state store.Clock, machine time.Time) time.Time {
	if state.Scale == 0 {
		return state.Shown
	}
	elapsed := machine.Round(0).Sub(state.Since).Microseconds() // by the wall clock, which goes on while a machine sleeps
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
	t = t.Add(precision - 1).Truncate(precision) // no earlier moment is ever shown
	needed := (t.UnixMicro() - state.Shown.UnixMicro() + scale - 1) / scale
	left := needed - c.machine().Round(0).Sub(state.Since).Microseconds()
	return min(time.Duration(max(left, 0))*time.Microsecond, longestSleep), true
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	state := *c.state.Load()
	machine := c.machine()
	c.set(goingOn(state, shows(state, machine).Add(d), machine))
}

// goingOn is a clock that runs as before, from another moment, but from none at which no clock can be any more.
func goingOn(state store.Clock, from, machine time.Time) store.Clock {
	if from.After(latest) {
		from = latest
	}
	state.Shown, state.Since = from.UTC().Truncate(precision), machine.UTC().Round(0).Truncate(precision)
	return state
}

// SeededStart is what a manual clock shows first where runs have to be the same.
var SeededStart = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// A ClockSetting is how the clock of a new world runs. The zero value is the machine's clock.
type ClockSetting struct {
	// Mode is real when empty.
	Mode payments.ClockMode
	// Scale is how many seconds a scaled clock runs in one second.
	Scale int
	// Start is what the clock shows first; zero: what the machine's does.
	Start time.Time
}

// begin is a new clock's state.
func (s ClockSetting) begin(machine time.Time) store.Clock {
	state := store.Clock{Mode: s.Mode, Scale: s.Scale}
	switch s.Mode {
	case payments.ClockModeManual:
		state.Scale = 0
	case payments.ClockModeReal, "":
		state.Mode, state.Scale = payments.ClockModeReal, 1
	}
	start := s.Start
	if start.IsZero() {
		start = machine
	}
	return goingOn(state, start, machine)
}
