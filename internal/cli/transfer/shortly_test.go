package transfer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShortly(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		15 * time.Minute: "15m", time.Hour: "1h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 0: "0s", 10 * time.Second: "10s", 10 * time.Hour: "10h",
	} {
		require.Equal(t, want, shortly(d))
	}
}
