package cmdutil

import (
	"errors"
	"runtime"
	"strings"
	"time"
	_ "time/tzdata" // Windows and small containers have no time zone data under the names that TZ takes

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
)

// An Interval is the flags that select rows by the time of their creation.
type Interval struct {
	after, before Moment
	ahead         time.Duration // of the service's clock, when Period was called last
}

// AddTo adds the flags.
func (i *Interval) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Func("created-after",
		"only those created since this `TIME`: RFC 3339, 2026-11-27, yesterday, 7d", i.after.Set)
	f.Func("created-before", "only those created before this `TIME`", i.before.Set)
}

// A Period is the time from Begin, up to but without End. A zero time means no limit.
type Period struct{ Begin, End time.Time }

// Has reports whether a time is in the period.
func (p Period) Has(at time.Time) bool {
	return (p.Begin.IsZero() || !at.Before(p.Begin)) && (p.End.IsZero() || at.Before(p.End))
}

// Period is the time that the flags select. If it depends on the present time or on a time zone, a note names it.
func (i *Interval) Period(d *Deps) (Period, error) {
	i.ahead = d.ServiceAhead()
	now := d.Now().Add(i.ahead).In(time.Local)
	warnOfZone(d)
	p := Period{Begin: i.after.At(now), End: i.before.At(now)}
	if !p.Begin.IsZero() && !p.End.IsZero() && !p.Begin.Before(p.End) {
		return p, Usage("nothing is created %s (--created-after %s --created-before %s)", p.words(), i.after.text,
			i.before.text)
	}
	if i.after.named || i.before.named {
		zone, _ := now.Zone()
		d.Notef("Created %s (time zone of this machine, %s).", p.words(), zone)
	}
	return p, nil
}

// Again is Period once a response has told that the clock of the service is another one, such as that of a sandbox.
// Else it returns the same period.
func (i *Interval) Again(d *Deps, known Period) (Period, error) {
	if d.ServiceAhead() == i.ahead {
		return known, nil
	}
	return i.Period(d)
}

// words describe a period in the time zone of this machine.
func (p Period) words() string {
	var parts []string
	for i, limit := range []string{"at or after ", "before "} {
		if at := []time.Time{p.Begin, p.End}[i]; !at.IsZero() {
			parts = append(parts, limit+at.Local().Format("2006-01-02 15:04:05 -07:00"))
		}
	}
	return strings.Join(parts, " and ")
}

// finest is the smallest part of a second that every service is expected to read in a time.
const finest = time.Millisecond

// Query asks for the period. A service excludes the moment after which it is asked for rows. So the query names an
// earlier one, and the list leaves out the rows between.
func (p Period) Query() payments.PageQuery {
	q := payments.PageQuery{CreatedBefore: p.End}
	if p.Begin.Year() > 1 {
		q.CreatedAfter = p.Begin.Truncate(finest).Add(-finest)
	}
	return q
}

// warnOfZone warns if this system does not know the zone that TZ names, such as a POSIX form with rules of its own.
// Times of this machine are then those of UTC. Windows has a setting instead of the variable.
func warnOfZone(d *Deps) {
	name := strings.TrimPrefix(d.Getenv("TZ"), ":")
	if runtime.GOOS == "windows" || name == "UTC0" || strings.HasPrefix(name, "/") {
		return
	}
	if _, err := time.LoadLocation(name); err != nil {
		d.Warnf("TZ is %s, which names no time zone of this system: times are read in UTC. "+
			"Set it to a name such as Europe/Berlin.", d.Getenv("TZ"))
	}
}

// A Moment is a flag that takes a time: RFC 3339, a date, today, yesterday, or how long ago.
type Moment struct {
	text  string
	since func(now time.Time) time.Time // what the text means at a time now, in its zone; nil means not given
	named bool                          // the text does not name the time in full
}

var errNotMoment = errors.New("must be a time such as 2026-01-31T12:00:00Z, a date such as 2026-01-31, today, yesterday, " +
	"or how long ago, such as 7d, 2w or 36h")

// Set reads the value of the flag.
func (m *Moment) Set(text string) error {
	m.text, m.named = text, true
	daysAgo := func(days int) func(time.Time) time.Time {
		return func(now time.Time) time.Time {
			return time.Date(now.Year(), now.Month(), now.Day()-days, 0, 0, 0, 0, now.Location())
		}
	}
	if at, ok := payments.ParseTime(text); ok {
		m.named = false
		m.since = func(time.Time) time.Time { return at }
	} else if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		m.since = func(time.Time) time.Time { return day }
	} else if ago, err := payments.ParseDuration(text); err == nil {
		m.since = func(now time.Time) time.Time { return now.Add(-ago) }
	} else if text == "today" {
		m.since = daysAgo(0)
	} else if text == "yesterday" {
		m.since = daysAgo(1)
	} else {
		return errNotMoment
	}
	return nil
}

// At is what the flag means at a time now, in the time zone of now. It is zero if the flag was not given.
func (m *Moment) At(now time.Time) time.Time {
	if m.since == nil {
		return time.Time{}
	}
	return m.since(now)
}
