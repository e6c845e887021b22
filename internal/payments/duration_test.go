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
		"1d": 24 * time.Hour, "2w": 14 * 24 * time.Hour, "1w2d3h4.5s": (9*24+3)*time.Hour + 4500*time.Millisecond, "106751d": 106751 * 24 * time.Hour,
		"PT90S": 90 * time.Second, "PT1H30M": 90 * time.Minute, "P1DT1H": 25 * time.Hour, "P2W": 14 * 24 * time.Hour,
		"P1W2D": 9 * 24 * time.Hour, "PT0.25S": 250 * time.Millisecond, "P3D": 72 * time.Hour, "P106751D": 106751 * 24 * time.Hour,
	} {
		d, err := ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, expected, d, text)
	}
	for _, text := range []string{
		"", "0s", "-1s", "1", "s", "d", "1.5d", "0d", "1d2w", "1d-1h", "-1d", "1d1", "106752d", "99999999999w", "15250w2d", "P", "PT", "P1", "P1H", "PT1D", "P1Y", "P1M", "PT1.5H", "PT-1S", "P-1D", "P1DT", "PT1M1H", "PT1S1S",
		"P1D1W", "pt1s", "PT1s", "PT.S", "PT1.S ", "PTT1S", "P0D", "PT0S", "P106752D", "P99999999999999999999D", "PT1ÄS", "9999999h",
	} {
		_, err := ParseDuration(text)
		require.ErrorIs(t, err, ErrNotDuration, "%q", text)
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"1h30m", "P1W2DT3H4M5.678S", "PT", "P1Y", "-5s", "P106752D", "PT1S1S", "2w1d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			require.ErrorIs(t, err, ErrNotDuration)
			return
		}
		require.Positive(t, d)
		again, err := ParseDuration(d.String())
		require.NoError(t, err)
		require.Equal(t, d, again)
	})
}
