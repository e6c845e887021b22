package app

import (
	"math"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGarbageCollectionSettingsOfTheUser is about settings of the process, so it does not run in parallel.
func TestGarbageCollectionSettingsOfTheUser(t *testing.T) {
	const goDefault = 100
	for _, c := range []struct {
		gogc, gomemlimit string
		percent          int
		limit            int64 // zero: below what there is, and not without a bound
	}{
		{"", "", gcPercent, 0},
		{"50", "", 50, 0},
		{"", "3GiB", gcPercent, 3 << 30},
		{"50", "off", 50, math.MaxInt64},
	} {
		t.Setenv("GOGC", c.gogc)
		t.Setenv("GOMEMLIMIT", c.gomemlimit)
		if c.gomemlimit == "" {
			require.NoError(t, os.Unsetenv("GOMEMLIMIT"))
		}
		// What Go itself makes of the variables when a program starts.
		percent, limit := goDefault, int64(math.MaxInt64)
		if c.gogc != "" {
			percent = c.percent
		}
		if c.gomemlimit != "" {
			limit = c.limit
		}
		before, limitBefore := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
		tuneGarbageCollection(os.Getenv)
		require.Equal(t, c.percent, debug.SetGCPercent(before), c)
		set := debug.SetMemoryLimit(limitBefore)
		if c.limit == 0 {
			require.Positive(t, set)
			require.Less(t, set, int64(math.MaxInt64), c)
		} else {
			require.Equal(t, c.limit, set, c)
		}
	}
}
