package deps

import (
	"errors"
	"time"

	"github.com/payctl/payctl/internal/moment"
)

// A Moment is a flag that takes a time: RFC 3339, a date in UTC, or a duration before now.
type Moment struct {
	text string
	at   time.Time
	ago  time.Duration
}

// String implements pflag.Value.
func (m *Moment) String() string { return m.text }

// Type implements pflag.Value.
func (*Moment) Type() string { return "time" }

// Set implements pflag.Value.
func (m *Moment) Set(text string) error {
	m.text = text
	var ok bool
	if m.at, ok = moment.Parse(text); ok {
		return nil
	}
	var err error
	if m.at, err = time.Parse(time.DateOnly, text); err == nil {
		return nil
	}
	m.at = time.Time{}
	if m.ago, err = time.ParseDuration(text); err == nil && m.ago > 0 {
		return nil
	}
	return errors.New("must be a moment such as 2026-01-31T12:00:00Z, a date such as 2026-01-31, or a duration ago such as 24h")
}

// At is the moment that is meant at a time now; zero when the flag was not given.
func (m *Moment) At(now time.Time) time.Time {
	if m.ago > 0 {
		return now.Add(-m.ago)
	}
	return m.at
}
