package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRate holds --rate to its bounds: a rate that was taken lets somebody through, and not without end.
func FuzzRate(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		var rate Rate
		if err := rate.Set(text); err != nil {
			require.ErrorIs(t, err, errRate)
			require.Zero(t, rate)
			return
		}
		require.Positive(t, rate.perSecond)
		require.LessOrEqual(t, rate.perSecond, float64(mostRate))
		var again Rate
		require.NoError(t, again.Set(rate.String()), "%q was taken, and %q was not", text, rate.String())
		require.InEpsilon(t, rate.perSecond, again.perSecond, 0.001)
		require.GreaterOrEqual(t, rate.atOnce(), 1)
		require.LessOrEqual(t, rate.atOnce(), 16)
	})
}
