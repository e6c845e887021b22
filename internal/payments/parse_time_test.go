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
