package metrics

import (
	"runtime"
	"runtime/debug"
	"time"
)

// AddProcess adds metrics of this process and of Go, with the names that Prometheus' own library uses, so that existing
// dashboards show them. What an operating system does not tell is left out.
func (t *Text) AddProcess(started time.Time) {
	t.Gauge("process_start_time_seconds", "Start time of the process since the Unix epoch in seconds.")
	t.Add(float64(started.UnixMilli()) / float64(time.Second/time.Millisecond))
	t.addOptional(t.Counter, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", cpuSeconds)
	t.addOptional(t.Gauge, "process_resident_memory_bytes", "Resident memory size in bytes.", residentBytes)
	t.addOptional(t.Gauge, "process_open_fds", "Number of open file descriptors.", openFiles)
	t.addOptional(t.Gauge, "process_max_fds", "Maximum number of open file descriptors.", maxFiles)
	t.Gauge("go_info", "Information about the Go environment.")
	t.Add(1, "version", runtime.Version())
	t.addRuntime()
	t.addCollections()
}

func (t *Text) addOptional(begin func(name, help string), name, help string, read func() (float64, bool)) {
	if value, known := read(); known {
		begin(name, help)
		t.Add(value)
	}
}

// addRuntime adds metrics of the memory that Go manages. Package runtime/metrics would read them without stopping the
// program for a moment, but costs time at each start of the program, also for a client command.
func (t *Text) addRuntime() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Gauge("go_goroutines", "Number of goroutines that currently exist.")
	t.Add(float64(runtime.NumGoroutine()))
	t.Gauge("go_memstats_heap_alloc_bytes", "Number of heap bytes allocated and currently in use.")
	t.Add(float64(memory.HeapAlloc))
	t.Gauge("go_memstats_sys_bytes", "Number of bytes obtained from system.")
	t.Add(float64(memory.Sys))
	t.Counter("go_memstats_alloc_bytes_total",
		"Total number of bytes allocated in heap until now, even if released already.")
	t.Add(float64(memory.TotalAlloc))
	t.Gauge("go_gc_gomemlimit_bytes", "Go runtime memory limit; math.MaxInt64 if there is none.")
	t.Add(float64(debug.SetMemoryLimit(-1))) // a negative limit changes nothing
}

// addCollections adds how long the garbage collections have stopped the program.
func (t *Text) addCollections() {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)} // 0, 0.25, 0.5, 0.75 and 1
	debug.ReadGCStats(&stats)
	quantiles := make([]float64, len(stats.PauseQuantiles))
	for i, pause := range stats.PauseQuantiles {
		quantiles[i] = pause.Seconds()
	}
	t.Summary("go_gc_duration_seconds", "Time for which each garbage collection has stopped the program.")
	t.AddSummary(uint64(stats.NumGC), stats.PauseTotal.Seconds(), quantiles...)
}
