package watchui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRate checks that an accepted --rate is within its bounds and can be printed.
func FuzzRate(f *testing.F) {
	for _, seed := range []string{"0x1p4", "3600/h", "Inf", "600/m", "nan", "10001", "50", "50/s", "1/h", "1e-300"} {
		f.Add(seed)
	}
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
