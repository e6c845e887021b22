package watchui

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/wait"
)

const (
	// defaultRate is the bound on requests a second without --rate: a round over the list of 10,000 accounts takes two
	// seconds, and few services allow a client much more.
	defaultRate = 50
	// mostRate bounds --rate, in requests a second.
	mostRate = 10_000
	// mostParallel bounds the requests at the same time, at any rate.
	mostParallel = 16
)

// A Rate is the value of --rate, such as 50, 50/s or 600/m requests.
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

var errRate = errors.New("a rate is a number of requests a second, minute or hour, such as 50/s or 600/m")

// Set implements pflag.Value.
func (r *Rate) Set(text string) error {
	count, unit, hasUnit := strings.Cut(text, "/")
	if !hasUnit {
		unit = "s"
	}
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	n, err := strconv.ParseFloat(count, 64)
	perSecond := n / seconds
	if err != nil || seconds == 0 || !(perSecond > 0) || perSecond > mostRate { // NaN is not greater than zero
		return errRate
	}
	r.perSecond = perSecond
	return nil
}

// A pace is the pace of requests: that of --rate, or that of the service's rate limit while this leaves few.
type pace struct {
	rate.Limiter
	wanted rate.Limit // that of --rate
}

func (r *Rate) newPace() *pace {
	wanted := rate.Limit(r.perSecond)
	return &pace{*rate.NewLimiter(wanted, 1), wanted}
}

// wait waits until its caller may send a request. Time that was not used is not made up for.
func (p *pace) wait(ctx context.Context) error {
	turn := p.Reserve() // Wait would fail at once where the turn comes after the deadline
	if err := wait.Sleep(ctx, turn.Delay()); err != nil {
		turn.Cancel()
		return err
	}
	return nil
}

// limited takes note of the service's rate limit, of which some requests are left. While these are few, which is two
// for each request that may be under way, or half of a smaller limit, requests are sent a little more slowly than the
// service allows on average: then none is refused, and a watch is not held up.
func (p *pace) limited(most int, window time.Duration, left int) {
	limit := p.wanted
	if left < min(2*mostParallel, most/2) {
		limit = min(limit, rate.Limit(0.9*float64(most)/window.Seconds()))
	}
	p.SetLimit(limit)
}

// parallel is how many requests are worth having at the same time: more would only wait for their turn.
func (r *Rate) parallel() int { return int(max(1, min(2*r.perSecond, mostParallel))) }
