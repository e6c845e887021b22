package desk

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// defaultRate is how many requests a second a watch may send at the most unless --rate says otherwise.
const defaultRate = 50

// mostRate bounds --rate, in requests a second.
const mostRate = 10_000

// A Rate is a number of requests in a time, the value of --rate: 50, 50/s or 600/m.
type Rate struct{ perSecond float64 }

// String implements pflag.Value.
func (r *Rate) String() string {
	if r.perSecond == 0 {
		return ""
	}
	return strconv.FormatFloat(r.perSecond, 'g', 4, 64) + "/s"
}

// Type implements pflag.Value.
func (r *Rate) Type() string { return "rate" }

// Set implements pflag.Value.
func (r *Rate) Set(text string) error {
	count, unit, has := strings.Cut(text, "/")
	per := time.Second
	if has {
		switch unit {
		case "s":
		case "m":
			per = time.Minute
		case "h":
			per = time.Hour
		default:
			return errRate
		}
	}
	n, err := strconv.ParseFloat(count, 64)
	perSecond := n / per.Seconds()
	if err != nil || !(perSecond > 0) || perSecond > mostRate {
		return errRate
	}
	r.perSecond = perSecond
	return nil
}

var errRate = rateError{}

type rateError struct{}

// Error implements error.
func (rateError) Error() string {
	return "a rate is a number of requests a second, minute or hour, such as 50/s or 600/m"
}

// catchUp is how far turns may lag behind their times and still come as soon as they can, so that a high rate is reached
// though timers are late. What lags more, as when the machine was busy, does not come all at once.
const catchUp = 2 * time.Millisecond

// longestGap is how far apart two turns are at the most, for a rate that is all but none.
const longestGap = 24 * time.Hour

// pace returns a function that waits for its caller's turn, so that in no time are there more turns than the rate allows.
func (r *Rate) pace() func(context.Context) error {
	gap := time.Duration(min(float64(time.Second)/r.perSecond, float64(longestGap)))
	last := make(chan time.Time, 1) // turn; who has it is next
	last <- time.Time{}
	return func(ctx context.Context) error {
		var before time.Time
		select {
		case before = <-last:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		turn := before.Add(gap)
		if wait := time.Until(turn); wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				last <- before
				return context.Cause(ctx)
			}
		}
		if late := time.Now().Add(-catchUp); turn.Before(late) {
			turn = late
		}
		last <- turn
		return nil
	}
}

// atOnce is how many questions are worth having on their way: those that have to wait for their turn only get older.
func (r *Rate) atOnce() int { return int(max(1, min(2*r.perSecond, 16))) }
