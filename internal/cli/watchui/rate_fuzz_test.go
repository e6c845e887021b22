package watchui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRate checks that an accepted --rate is within its bounds and can be printed.
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
		require.NoError(t, again.Set(rate.String()), "%q was accepted, but %q was not", text, rate.String())
		require.InEpsilon(t, rate.perSecond, again.perSecond, 0.001)
		require.GreaterOrEqual(t, rate.parallel(), 1)
		require.LessOrEqual(t, rate.parallel(), 16)
	})
}
