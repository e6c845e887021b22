package app

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGarbageCollectionSettingsOfTheUser is about settings of the process, so it does not run in parallel.
func TestGarbageCollectionSettingsOfTheUser(t *testing.T) {
	const goDefault = 100
	for _, c := range []struct {
		gogc, gomemlimit string
		percent          int   // zero: not Go's default
		limit            int64 // zero: below what there is, and not without a bound
	}{
		{"", "", 0, 0},
		{"50", "", 50, 0},
		{"", "3GiB", 0, 3 << 30},
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
		if set := debug.SetGCPercent(before); c.percent == 0 {
			require.NotEqual(t, goDefault, set, c)
		} else {
			require.Equal(t, c.percent, set, c)
		}
		set := debug.SetMemoryLimit(limitBefore)
		if c.limit == 0 {
			require.Positive(t, set)
			require.Less(t, set, int64(math.MaxInt64), c)
		} else {
			require.Equal(t, c.limit, set, c)
		}
	}
}

// inUse is what a test keeps in memory.
var inUse []byte

// TestGarbageFollowsTheHeap is about settings of the process, so it does not run in parallel.
func TestGarbageFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "off")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	tuneGarbageCollection(os.Getenv)
	// collectsAt collects until the size of the next collection is as expected.
	collectsAt := func(least, most int) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			at := int(memory.NextGC)
			if at >= least && at <= most {
				return
			}
			require.True(t, time.Now().Before(deadline), "Go collects at %d bytes", at)
		}
	}
	const others = 16 << 20 // more than the test itself has in use
	collectsAt(allowedGarbage, allowedGarbage+2*others)
	const world = 256 << 20
	inUse = make([]byte, world) // of which no page is touched
	collectsAt(world+mostShare+allowedGarbage, world+mostShare+allowedGarbage+others)
	inUse = nil
	collectsAt(allowedGarbage, allowedGarbage+2*others)
}
