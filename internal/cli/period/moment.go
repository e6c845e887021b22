package period

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A Moment is a flag that takes a time: RFC 3339, a date, today, yesterday, or how long ago.
type Moment struct {
	text  string
	since func(now time.Time) time.Time // the time that the text means at a time now, in the time zone of now; nil: not given
	named bool                          // the text does not name the time in full
	isAgo bool                          // the time depends on now
}

// String implements pflag.Value.
func (m *Moment) String() string { return m.text }

// Type implements pflag.Value.
func (*Moment) Type() string { return "time" }

var errNotMoment = errors.New("must be a time such as 2026-01-31T12:00:00Z, a date such as 2026-01-31, today, yesterday, " +
	"or how long ago, such as 7d, 2w or 36h")

// mostDays bounds a number of days ago, which must not lead to a year that RFC 3339 cannot write.
const mostDays = 100_000

// Set implements pflag.Value.
func (m *Moment) Set(text string) error {
	m.text, m.named, m.isAgo = text, true, true
	daysAgo := func(days int) func(time.Time) time.Time {
		return func(now time.Time) time.Time {
			return beginningOfDay(now.Year(), now.Month(), now.Day()-days, now.Location())
		}
	}
	switch text {
	case "today":
		m.since = daysAgo(0)
		return nil
	case "yesterday":
		m.since = daysAgo(1)
		return nil
	}
	if at, ok := payments.ParseTime(text); ok {
		m.named, m.isAgo = false, false
		m.since = func(time.Time) time.Time { return at }
		return nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		m.isAgo = false
		m.since = func(now time.Time) time.Time {
			return beginningOfDay(day.Year(), day.Month(), day.Day(), now.Location())
		}
		return nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, isUnit := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseUint(number, 10, 32); isUnit && err == nil && n > 0 && n <= mostDays/7 {
			m.since = func(now time.Time) time.Time { return now.AddDate(0, 0, -int(n)*days) }
			return nil
		}
	}
	if ago, err := payments.ParseDuration(text); err == nil {
		m.since = func(now time.Time) time.Time { return now.Add(-ago) }
		return nil
	}
	return errNotMoment
}

// At is the time that the flag means at a time now, in the time zone of now; zero if the flag was not given.
func (m *Moment) At(now time.Time) time.Time {
	if m.since == nil {
		return time.Time{}
	}
	return m.since(now)
}

// beginningOfDay is the first moment of a day. That is not always midnight: where clocks are put forward at midnight, the
// day begins at one o'clock, and where they are put back from one o'clock to midnight, it begins at the first midnight.
func beginningOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	date := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	at := time.Date(year, month, day, 0, 0, 0, 0, zone)
	offsetBegins, offsetEnds := at.ZoneBounds()
	switch {
	case at.Day() != date.Day(): // one of the evening before, as midnight is skipped
		return offsetEnds
	case at.Hour() != 0:
		return offsetBegins
	case offsetBegins.IsZero():
		return at
	}
	_, offset := at.Zone()
	_, before := offsetBegins.Add(-time.Nanosecond).Zone()
	if first := at.Add(time.Duration(offset-before) * time.Second); first.Before(offsetBegins) && first.Day() == at.Day() {
		return first
	}
	return at
}
