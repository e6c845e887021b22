package main

import (
	"fmt"
	"slices"
	"time"
)

// inTurn takes the times of a and b one after the other, so that both meet the same machine, and returns their medians.
func inTurn(rounds int, a, b func() (time.Duration, error)) (medianA, medianB time.Duration, err error) {
	var times [2][]time.Duration
	for range rounds {
		for i, measure := range []func() (time.Duration, error){a, b} {
			took, err := measure()
			if err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], took)
		}
	}
	return median(times[0]), median(times[1]), nil
}

// median is the figure in the middle; zero of none.
func median[T interface{ ~int64 | ~float64 }](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// atMost compares two durations; less is better.
func atMost(what string, this, peer time.Duration, bar float64) row {
	ratio := float64(this) / float64(peer)
	return row{
		What: what, This: milliseconds(this), Peer: milliseconds(peer), Ratio: ratio,
		Bar: fmt.Sprintf("at most %.3g", bar), Holds: ratio <= bar,
	}
}

// atLeast compares two rates; more is better. A bar of zero is none.
func atLeast(what string, this, peer result, bar float64) row {
	return row{What: what, This: this.String(), Peer: peer.String(), Ratio: this.perSecond / peer.perSecond}.atLeast(bar)
}

// atLeast is the row with the least that its ratio may be; zero: anything.
func (r row) atLeast(bar float64) row {
	if bar > 0 {
		r.Bar, r.Holds = fmt.Sprintf("at least %.3g", bar), r.Ratio >= bar
	}
	return r
}

// because is the row with why its bar may not be held.
func (r row) because(why string) row {
	r.Why = why
	return r
}

// cost compares two durations that no bar is set for.
func cost(what string, this, peer time.Duration) row {
	return row{What: what, This: microseconds(this), Peer: microseconds(peer), Ratio: float64(this) / float64(peer)}
}

// String is the rate with its latencies.
func (r result) String() string {
	return fmt.Sprintf("%.0f/s, p50 %s, p99 %s", r.perSecond, milliseconds(r.p50), milliseconds(r.p99))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

func microseconds(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }
