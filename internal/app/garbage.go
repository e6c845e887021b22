package app

import (
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// allowedGarbage and garbageShare are how much garbage may gather before it is collected: an amount, and a part of
	// what is in use. Most allocations of the service are garbage once a request is answered, and the records in memory
	// have few pointers, so that a collection costs about the same in a small world as in a large one: some milliseconds,
	// 2 to 4 % of the processor time of creates. Go's own percentage of 100 takes a tenth more; a percentage of 400 takes
	// no less, but up to five times the memory that a large world needs. With 32 MiB and the program itself, a process
	// stays below twice what is in use and 64 MiB.
	allowedGarbage = 32 << 20 // bytes
	garbageShare   = 0.125
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
	return int(100 * (allowedGarbage/inUse + garbageShare))
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
