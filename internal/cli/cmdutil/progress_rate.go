package cmdutil

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

const (
	// rateSeconds is for how long a thing counts for the rate: long enough that the rate is steady, and short enough that
	// it follows a service that becomes slower.
	rateSeconds = 10
	// leastMeasured is how long is measured before there is a rate.
	leastMeasured = time.Second
	// silence is how long nothing may come before that is said in place of a rate.
	silence = rateSeconds * time.Second
)

// A recentRate measures how many things come in a second, of the last rateSeconds.
type recentRate struct {
	began, last time.Time
	counts      [rateSeconds]int // by the second, modulo rateSeconds
}

// second is the number of the second that a time is in. A clock that was set back counts as one that stood still.
func (r *recentRate) second(at time.Time) int64 { return max(int64(at.Sub(r.began)/time.Second), 0) }

// forget clears the counts of seconds that have been taken over since the last thing came.
func (r *recentRate) forget(now time.Time) {
	if r.last.IsZero() {
		return
	}
	from, to := r.second(r.last), r.second(now)
	for s := max(from, to-rateSeconds) + 1; s <= to; s++ {
		r.counts[s%rateSeconds] = 0
	}
}

func (r *recentRate) add(now time.Time, n int) {
	r.forget(now)
	r.counts[r.second(now)%rateSeconds] += n
	r.last = now
}

// at returns how many things come in a second, zero if it is too early to tell, and how long nothing has come.
func (r *recentRate) at(now time.Time) (rate float64, silent time.Duration) {
	silent = now.Sub(r.began)
	if !r.last.IsZero() {
		silent = now.Sub(r.last)
	}
	measured := now.Sub(r.began)
	if measured < leastMeasured {
		return 0, silent
	}
	counts := *r
	counts.forget(now)
	sum := 0
	for _, n := range counts.counts {
		sum += n
	}
	first := max(0, r.second(now)-rateSeconds+1)
	return float64(sum) / (measured - time.Duration(first)*time.Second).Seconds(), silent
}

// formatRate formats a rate in things a second, or a minute if they are few.
func formatRate(rate float64) string {
	switch {
	case rate < 1:
		return fmt.Sprintf("%.0f/min", rate*60)
	case rate < 10:
		return fmt.Sprintf("%.1f/s", rate)
	}
	return ui.Thousands(int(rate+0.5)) + "/s"
}
