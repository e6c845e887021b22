package app

import (
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/server"
)

// rateLimit reads --rate-limit, a count of requests and the time that they are for: 100/s, 1000/m, 50/10s. It is nil
// when there is none.
func rateLimit(text string) (*server.RateLimit, error) {
	if text == "" {
		return nil, nil
	}
	wrong := &deps.UsageError{
		Reason: "--rate-limit must be requests and a time of whole seconds, up to an hour, such as 100/s, 1000/m or 50/10s",
	}
	count, period, found := strings.Cut(text, "/")
	requests, err := strconv.Atoi(count)
	if !found || err != nil || requests < 1 || requests > server.MaxRateLimit {
		return nil, wrong
	}
	if period == "s" || period == "m" || period == "h" {
		period = "1" + period
	}
	window, err := time.ParseDuration(period)
	if err != nil || window < time.Second || window > time.Hour || window%time.Second != 0 {
		return nil, wrong
	}
	return &server.RateLimit{Requests: requests, Window: window}, nil
}
