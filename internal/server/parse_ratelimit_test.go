package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseRateLimit(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]string{"100/s": "100 1s", "1000/m": "1000 1m0s", "5/h": "5 1h0m0s", "50/10s": "50 10s", "1/90s": "1 1m30s"} {
		limit, err := ParseRateLimit(text)
		require.NoError(t, err, text)
		require.Equal(t, wanted, fmt.Sprint(limit.Requests, " ", limit.Window))
	}
	for _, text := range []string{"100", "/s", "s/100", "0/s", "-1/s", "1.5/s", "1/0s", "1/500ms", "1/1.5s", "1/2h", "1/d", "9999999999/s", "1/s/s"} {
		_, err := ParseRateLimit(text)
		require.ErrorContains(t, err, "must be requests and a time", text)
	}
}

// FuzzRateLimit holds --rate-limit to its bounds, and what is read to be read again.
func FuzzRateLimit(f *testing.F) {
	for _, seed := range []string{"5/1m30s", "1/1500ms", "1/h", "1000/m", "-1/s", "5", "5/61m", "100/s", "50/10s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limit, err := ParseRateLimit(text)
		if err != nil {
			require.ErrorContains(t, err, "must be requests and a time")
			return
		}
		require.Positive(t, limit.Requests)
		require.LessOrEqual(t, limit.Requests, MaxRateLimit)
		require.GreaterOrEqual(t, limit.Window, time.Second)
		require.LessOrEqual(t, limit.Window, time.Hour)
		require.Zero(t, limit.Window%time.Second)
		again, err := ParseRateLimit(fmt.Sprintf("%d/%ds", limit.Requests, limit.Window/time.Second))
		require.NoError(t, err)
		require.Equal(t, limit, again)
	})
}
