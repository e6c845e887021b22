package app

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Most of what the service makes is garbage as soon as a request is answered: collecting it as often as Go does by default would
// be a third of its work. So the heap may grow to several times of what is in use, while that is little; garbage takes
// not much more than its room, or than what is in use where that is more.
const (
	mostGarbage  = 400 // percent of what is in use; with twice that rates are the same within what runs differ by, and the heap is twice as large
	leastGarbage = 100 // which is Go's default
	mostRoom     = 2 << 30
	// roomShare is the part of the memory that may be had which is room for garbage: the tests that ask the service are
	// likely to share that memory with it.
	roomShare = 8

	// liveBytes is what the last collection left in use.
	liveBytes = "/gc/heap/live:bytes"
	// lookAtHeap is how often it is looked at: it grows by tens of megabytes in that time.
	lookAtHeap = time.Second
)

// available is how much memory this process can have at most, in bytes: what its container may, or what the machine has.
func available() uint64 {
	least := uint64(math.MaxInt64)
	for _, source := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if limit, err := source(); err == nil { // a source that knows of no limit, or is not there, says so by its error
			least = min(least, limit)
		}
	}
	return least
}

// softLimit is from what size on this process collects as often as it takes not to grow, of what it can have at most. The rest
// is for what Go does not count: the pages of the database and of the program itself.
func softLimit(available uint64) int64 { return int64(available / 10 * 9) }

// garbagePercent is how much garbage there may be before it is collected, in percent of what is in use, where so many bytes
// can be had. It changes in large steps, since each setting stops everything for a moment.
func garbagePercent(live, available uint64) int {
	room := min(mostRoom, available/roomShare)
	percent := mostGarbage
	for percent > leastGarbage && live/100*uint64(percent) > room {
		percent /= 2
	}
	return percent
}

// collectSeldom has garbage collected as garbagePercent says until the context ends, and as often as it takes to stay within
// the memory of the container or the machine. What GOGC and GOMEMLIMIT say stays as it is.
func collectSeldom(ctx context.Context, getenv func(string) string) {
	available := available()
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit(available))
	}
	if getenv("GOGC") != "" {
		return
	}
	sample := []metrics.Sample{{Name: liveBytes}}
	ticker := time.NewTicker(lookAtHeap)
	defer ticker.Stop()
	for percent := leastGarbage; ; {
		metrics.Read(sample)
		if wanted := garbagePercent(sample[0].Value.Uint64(), available); wanted != percent {
			percent = wanted
			debug.SetGCPercent(percent)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
