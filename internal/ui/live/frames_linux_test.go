package live

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/ui"
)

// benchRows is how many rows the view of the benchmark has.
const benchRows = 100_000

// BenchmarkFrames measures the processor time of one frame of a view with many rows: what the program's loop does for a
// message, and the drawing. The figure longest-ms is that of the longest frame. `make bench` runs it.
func BenchmarkFrames(b *testing.B) {
	config := testConfig()
	config.Streams = &ui.Streams{UTF8: true, OutTTY: true, ColorOut: true}
	m := newTestModel(config, 120, 40)
	row := func(i int) Row {
		return Row{
			ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz%07d", i%benchRows), Data: fmt.Sprintf("Ada Lovelace %d", i), Group: i % 5,
			Status: ui.Toned(ui.Reviewer, "under_review"), Since: now.Add(-time.Duration(i) * time.Second), Why: "A person is looking at the check. (manual_review)",
		}
	}
	for i := range benchRows {
		m.view.put(row(i))
	}
	m.do("j")
	changes, keys := 0, 0
	for _, frame := range []struct {
		name string
		do   func()
	}{
		{"idle", func() { m.Update(ticked{}) }},
		{"changes", func() { // 60 a second
			for range 2 {
				changes++
				m.view.news(row(changes * 7919))
			}
			m.Update(updated{})
		}},
		{"move", func() { m.do("pgdown") }},
		{"filter", func() {
			const text = "status:rev -ada name:lovelace 99"
			keys++
			m.setFilter(text[:keys%len(text)])
			m.refresh()
		}},
	} {
		b.Run(frame.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var longest, total time.Duration
			for b.Loop() {
				began := threadTime(b)
				frame.do()
				_ = m.View()
				took := threadTime(b) - began
				longest, total = max(longest, took), total+took
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
			b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "cpu-ms")
		})
	}
}

// threadTime is the processor time of the thread.
func threadTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_THREAD, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
