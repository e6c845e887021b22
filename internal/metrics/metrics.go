// Package metrics counts what a service does and writes it in the text format of Prometheus (version 0.0.4). It takes
// the place of Prometheus' own library, which would slow the start of every command.
package metrics

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// bounds are the greatest time of each bucket of a histogram but the last: from a read in memory to a write that waits
// until a database has recovered.
var bounds = [...]time.Duration{
	250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// A Histogram counts times in buckets, without locks or allocations.
type Histogram struct {
	counts [len(bounds) + 1]atomic.Uint64
	sum    atomic.Int64 // nanoseconds
}

// Observe counts a time.
func (h *Histogram) Observe(took time.Duration) {
	bucket, _ := slices.BinarySearch(bounds[:], took)
	h.counts[bucket].Add(1)
	h.sum.Add(int64(took))
}

// ContentType is the media type of a Text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// A Text is metrics in the text format. All samples of a metric follow its first line.
type Text struct {
	b    []byte
	name string // of the metric whose samples are added
}

// Bytes returns the text so far.
func (t *Text) Bytes() []byte { return t.b }

// Begin begins a metric of a kind: counter, gauge or histogram. The help is one line without a backslash.
func (t *Text) Begin(name, kind, help string) {
	t.name = name
	t.b = append(t.b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// Add adds a sample of the present metric. Labels are names and values in turn.
func (t *Text) Add(value float64, labels ...string) { t.add("", value, labels) }

// AddHistogram adds a histogram of seconds, unless it has counted nothing. Labels are names and values in turn.
func (t *Text) AddHistogram(h *Histogram, labels ...string) {
	var buckets [len(bounds) + 1]uint64
	var count uint64
	for i := range buckets {
		count += h.counts[i].Load()
		buckets[i] = count
	}
	if count == 0 {
		return
	}
	for i, below := range buckets {
		bound := "+Inf"
		if i < len(bounds) {
			bound = formatNumber(bounds[i].Seconds())
		}
		t.add("_bucket", float64(below), append(slices.Clone(labels), "le", bound))
	}
	t.add("_sum", time.Duration(h.sum.Load()).Seconds(), labels)
	t.add("_count", float64(count), labels)
}

func (t *Text) add(suffix string, value float64, labels []string) {
	t.b = append(t.b, t.name+suffix...)
	for i := 0; i < len(labels); i += 2 {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		t.b = append(t.b, separator+labels[i]+`="`+escape(labels[i+1])+`"`...)
	}
	if len(labels) > 0 {
		t.b = append(t.b, '}')
	}
	t.b = append(t.b, " "+formatNumber(value)+"\n"...)
}

// AddProcess adds metrics of this process, with the names that Prometheus' own library uses, so that existing
// dashboards show them.
func (t *Text) AddProcess(started time.Time) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Begin("process_start_time_seconds", "gauge", "Start time of the process since the Unix epoch in seconds.")
	t.Add(float64(started.UnixMilli()) / float64(time.Second/time.Millisecond))
	t.Begin("go_goroutines", "gauge", "Number of goroutines that currently exist.")
	t.Add(float64(runtime.NumGoroutine()))
	t.Begin("go_memstats_heap_alloc_bytes", "gauge", "Number of heap bytes allocated and currently in use.")
	t.Add(float64(memory.HeapAlloc))
	t.Begin("go_memstats_sys_bytes", "gauge", "Number of bytes obtained from system.")
	t.Add(float64(memory.Sys))
}

// escape escapes the value of a label, which is UTF-8 in the text.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

func formatNumber(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
