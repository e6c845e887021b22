package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]time.Time{
		"2030-01-31T12:00:00Z":           time.Date(2030, time.January, 31, 12, 0, 0, 0, time.UTC),
		"2030-01-31t12:00:00z":           time.Date(2030, time.January, 31, 12, 0, 0, 0, time.UTC),
		"2030-01-31T12:00:00.5+02:00":    time.Date(2030, time.January, 31, 10, 0, 0, 500_000_000, time.UTC),
		"2030-01-31T12:00:00.123456789Z": time.Date(2030, time.January, 31, 12, 0, 0, 123_456_789, time.UTC),
		"2016-12-31T18:59:60.5-05:00":    time.Date(2017, time.January, 1, 0, 0, 0, 500_000_000, time.UTC),
		"2028-02-29T23:59:59-23:59":      time.Date(2028, time.March, 1, 23, 58, 59, 0, time.UTC),
	} {
		at, ok := ParseTime(text)
		require.True(t, ok, text)
		require.True(t, expected.Equal(at), "%s is %s", text, at)
	}
	for _, text := range []string{
		"", "now", "2030-01-01", "2030-01-01T0:00:00Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00.Z",
		"2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00+00:60", "2030-01-01T00:00:00+0000", "2030-01-01T24:00:00Z",
		"2030-02-30T00:00:00Z", "2030-01-01 00:00:00Z", "2030-01-01T00:00:00", "2030-01-01T00:00:00Z ",
		"2030-01-01T00:00:00Z\xff", `2030-01-01T00:00:00Z"`, "2016-12-31T12:00:60Z", "2016-12-30T23:59:60Z",
	} {
		at, ok := ParseTime(text)
		require.False(t, ok, text)
		require.Zero(t, at)
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond, "250ms": 250 * time.Millisecond,
		"1d": 24 * time.Hour, "2w": 14 * 24 * time.Hour, "1w2d3h4.5s": (9*24+3)*time.Hour + 4500*time.Millisecond,
		"106751d": 106751 * 24 * time.Hour,
	} {
		d, err := ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, expected, d, text)
	}
	for _, text := range []string{
		"", "0s", "-1s", "1", "s", "d", "1.5d", "0d", "1d2w", "1d-1h", "-1d", "1d1", "106752d", "99999999999w", "15250w2d",
		"PT1S", "9999999h",
	} {
		_, err := ParseDuration(text)
		require.ErrorIs(t, err, ErrNotDuration, "%q", text)
	}
}
