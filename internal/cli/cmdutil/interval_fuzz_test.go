package cmdutil

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// FuzzMoment holds a moment that was taken to be one: never the zero time, and the same when it is written out.
func FuzzMoment(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, seed := range []string{
		"24h", "2026-01-31", "36h", "2562047h47m16s", "2026-13-01", "100000d", "-24h",
		"2026-01-31T12:00:00.5+02:00", "2026-01-31T12:00:00Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m Moment
		if m.Set(text) != nil {
			return
		}
		at := m.At(now)
		_, isTime := payments.ParseTime(text)
		_, isDate := time.Parse(time.DateOnly, text)
		require.True(t, isTime || isDate == nil || at.Before(now), "%q is in the future", text)
		var again Moment
		require.NoError(t, again.Set(at.Format(time.RFC3339Nano)), "%q", text)
		require.True(t, at.Equal(again.At(now.AddDate(1, 0, 0))), "%q", text)
	})
}
