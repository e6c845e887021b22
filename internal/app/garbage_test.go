package app

import (
	"context"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGarbageStaysInItsRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live, available uint64
		percent         int
	}{
		{0, math.MaxInt64, mostGarbage},
		{512 << 20, math.MaxInt64, mostGarbage},
		{1 << 30, math.MaxInt64, 200},
		{2 << 30, math.MaxInt64, leastGarbage},
		{1 << 40, math.MaxInt64, leastGarbage},
		{0, 512 << 20, mostGarbage},
		{16 << 20, 512 << 20, mostGarbage},
		{32 << 20, 512 << 20, 200},
		{64 << 20, 512 << 20, leastGarbage},
		{400 << 20, 512 << 20, leastGarbage},
	} {
		require.Equal(t, c.percent, garbagePercent(c.live, c.available), c)
	}
	require.Less(t, softLimit(512<<20), int64(512<<20))
	require.Positive(t, softLimit(math.MaxInt64))
}

// TestGarbageIsCollectedAsItsUserSays is about settings of the process, so nothing runs beside it.
func TestGarbageIsCollectedAsItsUserSays(t *testing.T) {
	for _, c := range []struct {
		gogc, gomemlimit string
		percent          int
		limit            int64
	}{
		{"", "", mostGarbage, softLimit(available())},
		{"50", "", 50, softLimit(available())},
		{"", "3GiB", mostGarbage, 3 << 30},
		{"50", "off", 50, math.MaxInt64},
	} {
		// What Go itself makes of the variables when a program starts.
		percent, limit := leastGarbage, int64(math.MaxInt64)
		if c.gogc != "" {
			percent = c.percent
		}
		if c.gomemlimit != "" {
			limit = c.limit
		}
		before, limitBefore := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
		ended, end := context.WithCancel(t.Context())
		end()
		collectSeldom(ended, func(name string) string {
			return map[string]string{"GOGC": c.gogc, "GOMEMLIMIT": c.gomemlimit}[name]
		})
		require.Equal(t, c.percent, debug.SetGCPercent(before), c)
		require.Equal(t, c.limit, debug.SetMemoryLimit(limitBefore), c)
	}
}
