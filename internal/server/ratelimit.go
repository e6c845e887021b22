package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// MaxRateLimit is the most requests of a RateLimit.
const MaxRateLimit = 1_000_000_000

// A RateLimit is how many requests a client may send: Requests at once, then one more each time that its share of the
// window has passed (a token bucket). It runs by the machine's clock, whatever a world's clock shows.
type RateLimit struct {
	Requests int           // 1 to MaxRateLimit
	Window   time.Duration // whole seconds
	// Now is the machine's clock; nil is the real one.
	Now func() time.Time
}

// ParseRateLimit parses a number of requests and the time they are for, such as 100/s, 1000/m or 50/10s. The time is whole
// seconds, at most an hour.
func ParseRateLimit(text string) (RateLimit, error) {
	count, period, found := strings.Cut(text, "/")
	requests, err := strconv.Atoi(count)
	if period == "s" || period == "m" || period == "h" {
		period = "1" + period
	}
	window, badWindow := time.ParseDuration(period)
	if !found || err != nil || requests < 1 || requests > MaxRateLimit ||
		badWindow != nil || window < time.Second || window > time.Hour || window%time.Second != 0 {
		return RateLimit{}, errors.New("must be requests and a time of whole seconds, up to an hour, " +
			"such as 100/s, 1000/m or 50/10s")
	}
	return RateLimit{Requests: requests, Window: window}, nil
}

const (
	// policyName is the name of the only policy in the RateLimit headers.
	policyName = "default"
	// sweepAt is the least number of buckets at which full ones, which are as good as new ones, are removed.
	sweepAt = 1024
)

// rates counts the requests of each client, and of each address for requests that do not prove their client.
type rates struct {
	RateLimit
	policy string // the RateLimit-Policy header

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
	sweep   int // the number of buckets at which full ones are removed
}

// A bucketKey is a client or an address.
type bucketKey struct{ client, address string }

func newRates(config RateLimit) *rates {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &rates{
		RateLimit: config,
		policy:    fmt.Sprintf("%q;q=%d;w=%d", policyName, config.Requests, int(config.Window/time.Second)),
		buckets:   map[bucketKey]*rate.Limiter{},
		sweep:     sweepAt,
	}
}

// count counts a request. It returns how many more are allowed, in how many seconds the bucket is full again, and, if
// this request is one too many, how long to wait for the next.
func (l *rates) count(key bucketKey) (left, reset int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock() // all calls on the bucket see the same time, and no call an earlier one
	now := l.Now()
	bucket := l.bucket(key, now)
	if !bucket.AllowN(now, 1) {
		wait = time.Duration(math.Ceil((1 - bucket.TokensAt(now)) / float64(bucket.Limit()) * float64(time.Second)))
	}
	tokens := max(bucket.TokensAt(now), 0)
	missing := float64(l.Requests) - tokens
	return int(tokens), int(math.Ceil(missing / float64(bucket.Limit()))), wait
}

func (l *rates) bucket(key bucketKey, now time.Time) *rate.Limiter {
	if bucket := l.buckets[key]; bucket != nil {
		return bucket
	}
	if len(l.buckets) >= l.sweep {
		maps.DeleteFunc(l.buckets, func(_ bucketKey, bucket *rate.Limiter) bool {
			return bucket.TokensAt(now) >= float64(l.Requests)
		})
		l.sweep = max(sweepAt, 2*len(l.buckets))
	}
	bucket := rate.NewLimiter(rate.Limit(float64(l.Requests)/l.Window.Seconds()), l.Requests)
	l.buckets[key] = bucket
	return bucket
}

// limitRate counts the request and refuses it if it is one too many for its client, or for its address if it does not
// prove its client. Token requests count for the address, before their credentials are verified. Otherwise the error is
// err, which is why the request is refused anyway.
func (x *exchange) limitRate(err error) error {
	l := x.server.rates
	if l == nil || x.op.Access == contract.Open || x.op.IsSandbox() {
		return err
	}
	key := bucketKey{client: x.session.ClientID}
	if key.client == "" || x.session.Expired != nil {
		key = bucketKey{address: network(x.r.RemoteAddr)}
	}
	left, reset, wait := l.count(key)
	header := x.w.Header()
	header.Set("RateLimit-Policy", l.policy)
	header.Set("RateLimit", `"`+policyName+`";r=`+strconv.Itoa(left)+";t="+strconv.Itoa(reset))
	if wait == 0 {
		return err
	}
	problem := payments.NewProblem(payments.KindRateLimited,
		"No more than %d requests in %s are answered.", l.Requests, l.Window)
	problem.RetryAfter = wait
	return problem
}

// networkBits is the length of an IPv6 network. A host may use any address in its network, so they all count as one
// (RFC 4291 section 2.5.4, RFC 8981).
const networkBits = 64

// network returns the remote address without its port; for IPv6, its network.
func network(remote string) string {
	host, _, _ := net.SplitHostPort(remote)
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return cmp.Or(host, remote)
	}
	if ip = ip.Unmap(); ip.Is4() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), networkBits).Masked().String()
}
