package sandbox

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// machine is a machine's clock that the test moves.
type machine struct{ now time.Time }

func (m *machine) clock(setting ClockSetting) *Clock {
	c := &Clock{machine: func() time.Time { return m.now }}
	c.set(setting.begin(m.now))
	return c
}

func TestClockModes(t *testing.T) {
	t.Parallel()
	m := &machine{epoch}
	real := m.clock(ClockSetting{})
	manual := m.clock(ClockSetting{Mode: payments.ClockModeManual, Start: epoch.AddDate(1, 0, 0)})
	scaled := m.clock(ClockSetting{Mode: payments.ClockModeScaled, Scale: 60})
	m.now = m.now.Add(90 * time.Second)
	require.Equal(t, m.now, real.Now())
	require.Equal(t, epoch.AddDate(1, 0, 0), manual.Now())
	require.Equal(t, epoch.Add(90*time.Minute), scaled.Now())

	wait, ok := real.Until(m.now.Add(time.Second))
	require.True(t, ok)
	require.Equal(t, time.Second, wait)
	_, ok = manual.Until(manual.Now().Add(1))
	require.False(t, ok, "a manual clock never gets there by itself")
	wait, _ = real.Until(m.now.Add(-time.Hour))
	require.Zero(t, wait)

	manual.Advance(time.Hour)
	require.Equal(t, epoch.AddDate(1, 0, 0).Add(time.Hour), manual.Now())
	scaled.Advance(time.Hour)
	require.Equal(t, epoch.Add(150*time.Minute), scaled.Now())
	m.now = m.now.Add(time.Second)
	require.Equal(t, epoch.Add(151*time.Minute), scaled.Now(), "it keeps its pace")
}

// After the wait that Until returns, a clock shows at least the time passed to Until.
func TestUntilIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{epoch.Add(time.Duration(rapid.IntRange(0, 5_000_000).Draw(t, "ns")))}
		c := m.clock(ClockSetting{Mode: payments.ClockModeScaled, Scale: rapid.IntRange(1, maxScale).Draw(t, "scale")})
		m.now = m.now.Add(time.Duration(rapid.IntRange(0, 10_000_000).Draw(t, "elapsed")))
		at := c.Now().Add(time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "ahead")))
		wait, ok := c.Until(at)
		require.True(t, ok)
		m.now = m.now.Add(wait + time.Microsecond) // the clock counts whole microseconds
		require.False(t, c.Now().Before(at), "after the wait")
	})
}

// No change makes a clock go back.
func TestClockNeverGoesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{epoch}
		c := m.clock(ClockSetting{})
		last := c.Now()
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				m.now = m.now.Add(time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "elapsed")))
			case 1:
				c.Advance(time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "advance")))
			case 2:
				scale := rapid.IntRange(1, maxScale).Draw(t, "scale")
				c.set(ClockSetting{Mode: payments.ClockModeScaled, Scale: scale, Start: c.Now()}.begin(m.now))
			case 3:
				c.set(ClockSetting{Mode: payments.ClockModeManual, Start: c.Now()}.begin(m.now))
			}
			now := c.Now()
			require.False(t, now.Before(last), "%s after %s", now, last)
			require.False(t, now.After(latest.Add(100*20*time.Hour)))
			last = now
		}
	})
}

func TestClockStopsInTime(t *testing.T) {
	t.Parallel()
	state := store.Clock{Mode: payments.ClockModeScaled, Scale: maxScale, Shown: epoch, Since: epoch}
	require.Equal(t, latest, timeOf(state, epoch.AddDate(200, 0, 0)))
	require.Equal(t, epoch, timeOf(state, epoch.AddDate(-1, 0, 0)), "it stops while the machine's clock is set back")
	clock := NewManualClock(latest)
	clock.Advance(time.Millisecond)
	require.Equal(t, latest, clock.Now())
}

func TestParseClockSetting(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]ClockSetting{
		"real": {Mode: payments.ClockModeReal}, "manual": {Mode: payments.ClockModeManual},
		"10x": {Mode: payments.ClockModeScaled, Scale: 10}, "1000000x": {Mode: payments.ClockModeScaled, Scale: 1000000},
	} {
		setting, err := ParseClockSetting(text)
		require.NoError(t, err, text)
		require.Equal(t, expected, setting)
	}
	for _, text := range []string{"", "x", "0x", "-1x", "1.5x", "10", "1000001x", "scaled", "10xx", "Manual"} {
		_, err := ParseClockSetting(text)
		require.ErrorIs(t, err, ErrClockSetting, "%q", text)
	}
}

// The contract repeats the largest scale.
func TestTheLargestScaleIsTheContracts(t *testing.T) {
	t.Parallel()
	members := contract.SetSandboxClock.Body.Members
	i := slices.IndexFunc(members, func(m contract.Member) bool { return m.Name == "scale" })
	require.EqualValues(t, maxScale, members[i].Schema.Maximum)
}

func TestPolls(t *testing.T) {
	t.Parallel()
	for tag, expected := range map[string]struct {
		outcome string
		count   int
	}{
		"": {"", 0}, "rejected": {"rejected", 0}, "polls-3": {"", 3}, "rejected-polls-2": {"rejected", 2},
		"under-review-polls-10": {"under-review", 10}, "polls-0": {"polls-0", 0}, "polls-": {"polls-", 0},
		"polls-1001": {"polls-1001", 0}, "xpolls-3": {"xpolls-3", 0}, "polls--3": {"polls--3", 0},
	} {
		outcome, count := parseTag("Ada"+transferTag+tag, transferTag)
		require.Equal(t, expected.outcome, outcome, tag)
		require.Equal(t, expected.count, count, tag)
	}
}
