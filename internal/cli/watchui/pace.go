package watchui

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/wait"
)

const (
	// defaultRate is the bound on requests a second without --rate: a round over the list of 10,000 accounts takes two
	// seconds, and few services allow a client much more.
	defaultRate = 50
	// fewLeft is how many requests of the service's rate limit are few: two for each that may be under way.
	fewLeft = 32
)

// A pace is the pace of requests: that of --rate, or that of the service's rate limit while this leaves few.
type pace struct {
	*rate.Limiter
	wanted rate.Limit // that of --rate
}

// wait waits until its caller may send a request. Time that was not used is not made up for.
func (p pace) wait(ctx context.Context) error {
	turn := p.Reserve() // Wait would fail at once where the turn comes after the deadline
	if err := wait.Sleep(ctx, turn.Delay()); err != nil {
		turn.Cancel()
		return err
	}
	return nil
}

// limited takes note of the service's rate limit, of which some requests are left. While these are few, or less than
// half of a small limit, requests are sent a little more slowly than the service allows on average: then none is
// refused, and a watch is not held up.
func (p pace) limited(most int, window time.Duration, left int) {
	limit := p.wanted
	if left < min(fewLeft, most/2) {
		limit = min(limit, rate.Limit(0.9*float64(most)/window.Seconds()))
	}
	p.SetLimit(limit)
}
