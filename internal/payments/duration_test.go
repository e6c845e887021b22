package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
