package desk

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
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

// limiter lets requests through one by one, so that in no time are there more than the rate allows.
func (r *Rate) limiter() *rate.Limiter { return rate.NewLimiter(rate.Limit(r.perSecond), 1) }
