package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGarbageStaysInItsRoom(t *testing.T) {
	t.Parallel()
	for live, percent := range map[uint64]int{
		0: mostGarbage, 64 << 20: mostGarbage, 512 << 20: mostGarbage, 1 << 30: 400, 2 << 30: 200, 4 << 30: leastGarbage, 1 << 40: leastGarbage,
	} {
		require.Equal(t, percent, garbagePercent(live), live)
	}
}
