package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Most of what the service makes is garbage as soon as a request is answered: collecting it as often as Go does by default would
// be a third of its work. So the heap may grow to several times of what is in use, while that is little; garbage takes
// not much more than garbageRoom, or than what is in use where that is more.
const (
	mostGarbage  = 800 // percent of what is in use
	leastGarbage = 100 // which is Go's default
	garbageRoom  = 4 << 30

	// liveBytes is what the last collection left in use.
	liveBytes = "/gc/heap/live:bytes"
	// lookAtHeap is how often it is looked at: it grows by tens of megabytes in that time.
	lookAtHeap = time.Second
)

// garbagePercent is how much garbage there may be before it is collected, in percent of what is in use. It changes in large
// steps, since each setting stops everything for a moment.
func garbagePercent(live uint64) int {
	percent := mostGarbage
	for percent > leastGarbage && live/100*uint64(percent) > garbageRoom {
		percent /= 2
	}
	return percent
}

// collectSeldom has garbage collected as garbagePercent says until the context ends.
func collectSeldom(ctx context.Context) {
	percent := mostGarbage
	debug.SetGCPercent(percent)
	sample := []metrics.Sample{{Name: liveBytes}}
	ticker := time.NewTicker(lookAtHeap)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(sample)
		if wanted := garbagePercent(sample[0].Value.Uint64()); wanted != percent {
			percent = wanted
			debug.SetGCPercent(percent)
		}
	}
}
