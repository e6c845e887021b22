package period

import (
	"errors"
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

// Set implements pflag.Value.
func (m *Moment) Set(text string) error {
	m.text, m.named, m.isAgo = text, true, true
	daysAgo := func(days int) func(time.Time) time.Time {
		return func(now time.Time) time.Time {
			return time.Date(now.Year(), now.Month(), now.Day()-days, 0, 0, 0, 0, now.Location())
		}
	}
	if at, ok := payments.ParseTime(text); ok {
		m.named, m.isAgo = false, false
		m.since = func(time.Time) time.Time { return at }
	} else if day, err := time.Parse(time.DateOnly, text); err == nil {
		m.isAgo = false
		m.since = func(now time.Time) time.Time {
			return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, now.Location())
		}
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

// At is the time that the flag means at a time now, in the time zone of now; zero if the flag was not given.
func (m *Moment) At(now time.Time) time.Time {
	if m.since == nil {
		return time.Time{}
	}
	return m.since(now)
}
