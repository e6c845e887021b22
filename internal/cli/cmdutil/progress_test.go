package cmdutil

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

var someTallies = []Tally{{Name: "created", Tone: ui.Good}, {Name: "unknown", Tone: ui.Staff}, {Name: "refused", Tone: ui.Bad}}

// newProgress returns the progress of 2,000 things, whose clock stands still until it is set, and a function that
// returns its line for so many columns.
func newProgress(utf8 bool) (p *Progress, line func(columns int) string, now *time.Time) {
	now = new(time.Unix(1_000, 0))
	d := &Deps{Streams: &ui.Streams{Err: io.Discard, UTF8: utf8}, Now: func() time.Time { return *now }}
	p = d.StartProgress(2000, "looking for earlier ones", someTallies...)
	return p, func(columns int) string { return joined(p.line(columns)) }, now
}

func joined(cells []ui.Cell) string {
	var b strings.Builder
	for _, cell := range cells {
		b.WriteString(cell.Text)
	}
	return b.String()
}

// The line at several widths, from the start to the end. What matters most is left where there is little room.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	p, line, now := newProgress(true)
	require.Equal(t, "░░░░░░░░░      0 of 2,000  looking for earlier ones", line(79))
	p.Begin()
	*now = now.Add(500 * time.Millisecond)
	p.Add("created", 60, true)
	require.Equal(t, "░░░░░░░░░     60 of 2,000  60 created", line(79), "it is too early to tell the rate")
	*now = now.Add(500 * time.Millisecond)
	require.Equal(t, "░░░░░░░░░     60 of 2,000  60 created  60/s  32s left", line(79))
	p.Add("created", 1130, false)
	p.Add("unknown", 3, false)
	p.Add("refused", 11, false)
	for columns, want := range map[int]string{
		199: "██████████████▓▒░░░░░░░░  1,204 of 2,000  1,190 created  3 unknown  11 refused  60/s  13s left",
		79:  "█████▓▒░░  1,204 of 2,000  1,190 created  3 unknown  11 refused  60/s  13s left",
		78:  "█████▓▒░░  1,204 of 2,000  3 unknown  11 refused  60/s  13s left",
		59:  "████▓▒░░  1,204 of 2,000  3 unknown  11 refused  13s left",
		48:  "1,204 of 2,000  3 unknown  11 refused  13s left",
		40:  "1,204 of 2,000  3 unknown  11 refused",
		20:  "1,204 of 2,000",
	} {
		require.Equal(t, want, line(columns), "%d columns", columns)
	}
	p.Add("created", 796, false)
	require.Equal(t, "███████▓▒  2,000 of 2,000  1,986 created  3 unknown  11 refused", line(79), "there is nothing left")
	ascii, line, _ := newProgress(false)
	ascii.Begin()
	ascii.Add("created", 1000, false)
	ascii.Add("unknown", 1, false)
	ascii.Add("refused", 500, false)
	require.Equal(t, "####?xx..  1,501 of 2,000  1,000 created  1 unknown  500 refused", line(79))
}

// What keeps the work from going on takes the place of its rate, and the rate begins anew behind it.
func TestProgressSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	p, line, now := newProgress(false)
	p.Begin()
	p.Add("created", 100, true)
	*now = now.Add(2 * time.Second)
	require.Contains(t, line(79), "50/s  38s left")
	p.Unreachable(errors.New("refused"))
	*now = now.Add(12 * time.Second)
	require.Regexp(t, `100 created  the service does not answer, 12s$`, line(79))
	p.Reachable()
	require.Regexp(t, `100 created$`, line(79))
	*now = now.Add(time.Second)
	p.Add("created", 10, true)
	require.Contains(t, line(79), "10/s  3m9s left")

	p.Pause(now.Add(time.Second))
	require.Contains(t, line(79), "10/s", "a short pause is part of the rate")
	p.Pause(now.Add(30 * time.Second))
	*now = now.Add(10 * time.Second)
	require.Contains(t, line(79), "paused by the service's rate limit, 20s left")
	*now = now.Add(20 * time.Second)
	require.Regexp(t, `110 created  the last one 30s ago$`, line(79))
}

// The rate is that of the last seconds, and falls by itself while nothing comes.
func TestRecentRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000, 0)
	r := recentRate{began: now}
	for range 30 {
		now = now.Add(time.Second)
		r.add(now, 100)
	}
	rate, silent := r.at(now.Add(time.Second - 1))
	require.InDelta(t, 100, rate, 0.1)
	require.Equal(t, time.Second-1, silent)
	before := rate
	for range 10 {
		now = now.Add(time.Second)
		rate, _ = r.at(now)
		require.Less(t, rate, before)
		before = rate
	}
	require.Zero(t, rate)
	now = now.Add(time.Hour)
	r.add(now, 50)
	rate, silent = r.at(now.Add(time.Second - 1))
	require.InDelta(t, 5, rate, 0.1, "what came an hour ago is forgotten")
	require.Equal(t, time.Second-1, silent)
}

func TestFormatsOfProgress(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]string{0.25: "15/min", 1.25: "1.2/s", 52.4: "52/s", 12345: "12,345/s"} {
		require.Equal(t, want, formatRate(rate))
	}
	for d, want := range map[time.Duration]string{
		14*time.Second + 600*time.Millisecond: "15s", 90 * time.Second: "1m30s", time.Minute: "1m", 3*time.Hour + 5*time.Minute + 12*time.Second: "3h5m",
	} {
		require.Equal(t, want, seconds(d))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, ui.Thousands(n))
	}
}

// A wait shows how long it takes instead, and how long it takes at most. What waits for a person is counted besides.
func TestProgressOfAWait(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000, 0)
	d := &Deps{Streams: &ui.Streams{Err: io.Discard}, Now: func() time.Time { return now }}
	p := d.StartWait(40, "waiting for approved", 5*time.Minute, Tally{Name: "approved", Tone: ui.Good}, Tally{Name: "failed", Tone: ui.Bad},
		Tally{Name: "under_review", Tone: ui.Staff, Open: true})
	p.Add("approved", 10, false)
	p.Add("failed", 1, false)
	p.Add("under_review", 3, false)
	now = now.Add(72 * time.Second)
	require.Equal(t, "####x.............  11 of 40  10 approved  1 failed  3 under_review  for 1m12s of 5m",
		joined(p.line(150)))
	require.Equal(t, "11 of 40  1 failed  3 under_review  for 1m12s of 5m", joined(p.line(52)))
	one := d.StartWait(1, "waiting for approved", 0)
	now = now.Add(time.Second)
	require.Equal(t, "waiting for approved  for 1s", joined(one.line(79)))
}
