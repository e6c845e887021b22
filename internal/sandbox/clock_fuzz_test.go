package sandbox

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// FuzzParseClockSetting holds what is read to be written the same again, and to its bounds.
func FuzzParseClockSetting(f *testing.F) {
	for _, seed := range []string{" 10x", "0x1x", "manual", "1000000x", "1000001x", "real", "+1x", "10x", "0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		setting, err := ParseClockSetting(text)
		if err != nil {
			require.ErrorIs(t, err, ErrClockSetting)
			require.Zero(t, setting)
			return
		}
		if setting.Mode != payments.ClockModeScaled {
			require.Equal(t, text, string(setting.Mode))
			return
		}
		require.Positive(t, setting.Scale)
		require.LessOrEqual(t, setting.Scale, maxScale)
		require.Regexp(t, `^[0-9]+x$`, text)
		again, err := ParseClockSetting(strconv.Itoa(setting.Scale) + "x")
		require.NoError(t, err)
		require.Equal(t, setting, again)
	})
}
