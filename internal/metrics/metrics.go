// Package metrics counts what a service does and writes it in the text format of Prometheus (version 0.0.4). It takes
// the place of Prometheus' own library, which would slow the start of every command. Counters and gauges are atomic
// integers of the packages that count; this package has what the standard library lacks: histograms and the text.
package metrics

import (
	"sync/atomic"
	"time"
)

// A Histogram counts values in buckets, without locks or allocations. A value is a whole number: a time in nanoseconds,
// or a count.
type Histogram struct {
	bounds []int64         // the greatest value of each bucket but the last, in rising order
	counts []atomic.Uint64 // of each bucket; the last one has all values above the bounds
	sum    atomic.Int64
	unit   float64 // the value that is one in the text
}

// NewTimes returns a histogram of times, which the text shows in seconds. The bounds rise.
func NewTimes(bounds ...time.Duration) *Histogram {
	h := &Histogram{unit: float64(time.Second), counts: make([]atomic.Uint64, len(bounds)+1)}
	for _, bound := range bounds {
		h.bounds = append(h.bounds, int64(bound))
	}
	return h
}

// NewCounts returns a histogram of counts. The bounds rise.
func NewCounts(bounds ...int64) *Histogram {
	return &Histogram{unit: 1, bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram) Observe(value int64) {
	bucket := 0
	for bucket < len(h.bounds) && value > h.bounds[bucket] {
		bucket++
	}
	h.counts[bucket].Add(1)
	h.sum.Add(value)
}

// Count returns how many values there were.
func (h *Histogram) Count() (count uint64) {
	for i := range h.counts {
		count += h.counts[i].Load()
	}
	return count
}

// ObserveTime counts a time.
func (h *Histogram) ObserveTime(took time.Duration) { h.Observe(int64(took)) }
