package cmdutil

import (
	"bytes"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // whatever this machine has

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// A day begins with its first moment in the time zone, also where that is not midnight, and ends where the next one begins.
func TestDaysBeginInTheirTimeZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, now, text, want string }{
		{"UTC", "2026-01-31T12:00:00Z", "today", "2026-01-31T00:00:00Z"},
		{"UTC", "2026-03-01T00:00:00Z", "yesterday", "2026-02-28T00:00:00Z"},
		{"Europe/Berlin", "2026-01-31T23:30:00Z", "today", "2026-01-31T23:00:00Z"},     // 1 February there
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "today", "2026-03-28T23:00:00Z"},     // a day of 23 hours
		{"Europe/Berlin", "2026-03-30T12:00:00Z", "today", "2026-03-29T22:00:00Z"},     // the day after it
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "1d", "2026-03-28T13:00:00Z"},        // the same time of day, 23 hours ago
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "24h", "2026-03-28T12:00:00Z"},       // exactly 24 hours ago
		{"America/Sao_Paulo", "2018-11-04T15:00:00Z", "today", "2018-11-04T03:00:00Z"}, // clocks skip midnight
		{"America/Havana", "2026-11-01T15:00:00Z", "today", "2026-11-01T04:00:00Z"},    // clocks show midnight twice
		{"America/Havana", "2026-11-01T15:00:00Z", "2026-11-02", "2026-11-02T05:00:00Z"},
		{"Pacific/Apia", "2011-12-31T15:00:00+14:00", "yesterday", "2011-12-30T10:00:00Z"}, // a day that there was not
		{"Asia/Kathmandu", "2026-01-31T12:00:00Z", "2026-01-31", "2026-01-30T18:15:00Z"},
		{"+02:00", "2026-01-31T22:00:00Z", "today", "2026-01-31T22:00:00Z"},
		{"-09:30", "2026-01-31T09:29:59Z", "today", "2026-01-30T09:30:00Z"},
		{"UTC", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00", "2026-01-31T11:00:00.5Z"},
		{"UTC", "2026-01-31T12:00:00Z", "P1DT1H", "2026-01-30T11:00:00Z"},
	} {
		var z zone
		require.NoError(t, z.Set(c.zone))
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		var m Moment
		require.NoError(t, m.Set(c.text))
		require.Equal(t, c.want, m.At(now.In(z.location())).UTC().Format(time.RFC3339Nano), "%v", c)
	}
	for _, text := range []string{"", "tomorrow", "0d", "-1d", "1.5d", "100001d", "7 d", "2026-02-30", "2026-1-1", "d", "12:00", "Today"} {
		require.ErrorIs(t, new(Moment).Set(text), errNotMoment, text)
	}
	for _, text := range []string{"", "Nowhere/City", "+2", "02:00", "../etc/passwd", "/etc/localtime", "+24:00:00"} {
		require.Error(t, new(zone).Set(text), text)
	}
}

// Yesterday is exactly the time between its beginning and that of today: the first moment of the day is in, that of the
// next one is not. The query names the moment before, as services exclude the moment after which they are asked.
func TestYesterdayIsTheWholeDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, begin, end, note string }{
		{"--created-after yesterday --created-before today --tz Europe/Berlin", "2026-02-27T23:00:00Z", "2026-02-28T23:00:00Z",
			"Created at or after 2026-02-28 00:00:00 +01:00 and before 2026-03-01 00:00:00 +01:00 (Europe/Berlin).\n"},
		{"--created-after 7d --tz UTC", "2026-02-22T12:00:00Z", "", "Created at or after 2026-02-22 12:00:00 +00:00 (UTC).\n"},
		{"--created-before 2026-03-01 --tz -05:00", "", "2026-03-01T05:00:00Z", "Created before 2026-03-01 00:00:00 -05:00 (-05:00).\n"},
		{"--created-after 2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z", "", ""},
	} {
		d, _ := process(t, "table", "")
		var i Interval
		cmd := &cobra.Command{}
		i.AddTo(cmd)
		require.NoError(t, cmd.ParseFlags(strings.Fields(c.args)))
		p, err := i.Period(d)
		require.NoError(t, err)
		text := func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.UTC().Format(time.RFC3339)
		}
		require.Equal(t, []string{c.begin, c.end}, []string{text(p.Begin), text(p.End)}, c.args)
		require.Equal(t, c.note, d.Err.(*bytes.Buffer).String())
		if !p.Begin.IsZero() {
			require.True(t, p.query().Includes(p.Begin))
			require.False(t, p.query().Includes(p.Begin.Add(-time.Millisecond)))
		}
	}
	d, _ := process(t, "table", "")
	var i Interval
	require.NoError(t, i.after.Set("today"))
	require.NoError(t, i.before.Set("yesterday"))
	_, err := i.Period(d)
	require.ErrorIs(t, err, ErrUsage)
}
