package server

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// MaxRateLimit is the most requests of a RateLimit.
const MaxRateLimit = 1_000_000_000

// A RateLimit is how much a client may ask in a time: so many requests at once, and after that one more each time that
// its share of the window has passed (a token bucket). It counts in the machine's time, whatever a world's clock shows.
type RateLimit struct {
	Requests int           // 1 to MaxRateLimit
	Window   time.Duration // whole seconds
	// Now is the machine's clock; nil: the real one.
	Now func() time.Time
}

// policyName names the one policy there is.
const policyName = "default"

// sweepAt is how many buckets there are at the least before full ones, which are as good as new, are forgotten.
const sweepAt = 1024

// limits counts the requests of each client, and of each address that has not shown whose client it is.
type limits struct {
	RateLimit
	policy string // RateLimit-Policy

	mu      sync.Mutex
	buckets map[bucketOf]*rate.Limiter
	sweep   int // at this many buckets
}

// bucketOf is whose requests a bucket counts: a client's, or an address's.
type bucketOf struct{ client, address string }

func newLimits(config RateLimit) *limits {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &limits{
		RateLimit: config,
		policy:    fmt.Sprintf("%q;q=%d;w=%d", policyName, config.Requests, int(config.Window/time.Second)),
		buckets:   map[bucketOf]*rate.Limiter{},
		sweep:     sweepAt,
	}
}

// take counts a request. It says how many more are left, in how many seconds all of them are again, and, when this one
// is one too many, how long to wait for the next.
func (l *limits) take(whose bucketOf) (left, reset int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock() // several steps are one, at a moment that is no earlier than the last one
	now := l.Now()
	bucket := l.bucket(whose, now)
	if !bucket.AllowN(now, 1) {
		wait = time.Duration(math.Ceil((1 - bucket.TokensAt(now)) / float64(bucket.Limit()) * float64(time.Second)))
	}
	tokens := max(bucket.TokensAt(now), 0)
	missing := float64(l.Requests) - tokens
	return int(tokens), int(math.Ceil(missing / float64(bucket.Limit()))), wait
}

func (l *limits) bucket(whose bucketOf, now time.Time) *rate.Limiter {
	if bucket := l.buckets[whose]; bucket != nil {
		return bucket
	}
	if len(l.buckets) >= l.sweep {
		for of, bucket := range l.buckets {
			if bucket.TokensAt(now) >= float64(l.Requests) {
				delete(l.buckets, of)
			}
		}
		l.sweep = max(sweepAt, 2*len(l.buckets))
	}
	bucket := rate.NewLimiter(rate.Limit(float64(l.Requests)/l.Window.Seconds()), l.Requests)
	l.buckets[whose] = bucket
	return bucket
}

// limit counts the request, and refuses it when it is one too many: for its client, or for its address when it does
// not show that it comes from one. The token operation counts for the address before its credentials are looked at. err is why
// the request is refused otherwise.
func (c *call) limit(err error) error {
	l := c.server.limits
	if l == nil || c.op.Access == contract.Open || c.op.IsSandbox() {
		return err
	}
	whose := bucketOf{client: c.session.Client}
	if whose.client == "" || c.session.Expired != nil {
		whose = bucketOf{address: address(c.r.RemoteAddr)}
	}
	left, reset, wait := l.take(whose)
	header := c.w.Header()
	header.Set("RateLimit-Policy", l.policy)
	header.Set("RateLimit", `"`+policyName+`";r=`+strconv.Itoa(left)+";t="+strconv.Itoa(reset))
	if wait == 0 {
		return err
	}
	refusal := payments.Refuse(payments.KindRateLimited, "No more than %d requests in %s are answered.", l.Requests, l.Window)
	refusal.RetryAfter = wait
	return refusal
}

// networkBits is how much of an IPv6 address says whose it is: the rest is one host's to choose, as often as it likes (RFC 4291
// section 2.5.4, RFC 8981).
const networkBits = 64

// address is the remote address without its port, which is another one for each connection; of IPv6, its network.
func address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap(); ip.Is4() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(networkBits)
	if err != nil {
		return host
	}
	return network.String()
}
