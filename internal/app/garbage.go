package app

import (
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// allowedGarbage and mostShare are how much garbage may gather before it is collected: an amount, and as much again as
	// is in use, up to mostShare. Most allocations of the service are garbage once a request is answered. Transfers that
	// are under way are full of pointers: 25,000 of them, as many as a loaded service has, take 60 MiB, and a service that
	// collects whenever 40 MiB have gathered takes a tenth more processor time for a create. Settled records have few
	// pointers, so that in a large world a collection costs some milliseconds, and need not be rarer than in a young one.
	// A process stays below twice what is in use and 64 MiB, with the program itself.
	allowedGarbage = 40 << 20  // bytes
	mostShare      = 160 << 20 // bytes
	// smallestHeap is the least that the percentage is set for. Go starts no collection below 4 MiB at 100 percent, and
	// in proportion at others.
	smallestHeap = 4 << 20 // bytes
	// memoryShare is the part of the available memory from which on Go collects as often as it takes not to grow. The
	// rest is for what Go does not count: the database's pages and the program itself.
	memoryShare = 0.9
)

// tuneGarbageCollection sets the garbage collector for the service, unless GOGC and GOMEMLIMIT do. The available
// memory is that of the container or of the machine; where neither is known, there is no limit.
func tuneGarbageCollection(getenv func(string) string) {
	if getenv("GOGC") == "" {
		percent := gcPercent(0)
		debug.SetGCPercent(percent)
		followHeap(percent)
	}
	available := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)
	_, _ = memlimit.Set(memlimit.WithRatio(memoryShare), memlimit.WithProvider(available)) // unless GOMEMLIMIT is set
}

// gcPercent is the percentage of what is in use that allows as much garbage as a heap of that size may have.
func gcPercent(inUse float64) int {
	inUse = max(inUse, smallestHeap)
	return int(100 * (allowedGarbage + min(inUse, mostShare)) / inUse)
}

// followHeap sets the percentage anew after each garbage collection, which it notices by an object that nothing refers
// to; it is a pointer, since Go may keep a small object without pointers as long as others next to it. The size at which
// Go collects next is what the collection found in use and the present percentage of it. followHeap ends if the
// percentage is no longer the one that was set.
func followHeap(percent int) {
	runtime.AddCleanup(new(*byte), func(percent int) {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		next := gcPercent(float64(memory.NextGC) / (1 + float64(percent)/100))
		if present := debug.SetGCPercent(next); present != percent {
			debug.SetGCPercent(present)
			return
		}
		followHeap(next)
	}, percent)
}
