package app

import (
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// gcPercent lets the heap grow to five times what is in use before garbage is collected. Most allocations of the
	// service are garbage once a request is answered; with Go's default of 100 their collection takes a third of the
	// time. Above 400 the service is no quicker.
	gcPercent = 400
	// memoryShare is the part of the available memory from which on Go collects as often as it takes not to grow. The
	// rest is for what Go does not count: the database's pages and the program itself.
	memoryShare = 0.9
)

// tuneGarbageCollection sets the garbage collector for the service, unless GOGC and GOMEMLIMIT do. The available
// memory is that of the container or of the machine; where neither is known, there is no limit.
func tuneGarbageCollection(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	available := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)
	_, _ = memlimit.Set(memlimit.WithRatio(memoryShare), memlimit.WithProvider(available)) // unless GOMEMLIMIT is set
}
