package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

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

// ParseRateLimit parses a number of requests and the time they are for, such as 100/s, 1000/m or 50/10s. The time is
// whole seconds, at most an hour.
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

// policyName is the name of the only policy in the RateLimit headers.
const policyName = "default"

// rates count the requests of each client, and for requests that do not prove their client those of each address.
type rates struct {
	RateLimit
	policy   string        // the RateLimit-Policy header
	interval time.Duration // in which one more request is allowed

	mu    sync.Mutex
	full  map[string]time.Time // when a bucket is full again; one that is not here is full
	sweep time.Time            // when buckets that are full are removed next
}

func newRates(config RateLimit) *rates {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &rates{
		RateLimit: config,
		policy:    fmt.Sprintf("%q;q=%d;w=%d", policyName, config.Requests, int(config.Window/time.Second)),
		interval:  max(config.Window/time.Duration(config.Requests), 1),
		full:      map[string]time.Time{},
	}
}

// A quota is what is left of a bucket.
type quota struct {
	left  int           // requests that are allowed at once
	reset time.Duration // until the bucket is full
	wait  time.Duration // until a request is allowed that was one too many; zero: it was not
}

// count counts a request, unless it is one too many. An empty bucket takes as long as the window to be full: so its
// content follows from when it will be full.
func (l *rates) count(bucket string) (q quota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, window := l.Now(), l.interval*time.Duration(l.Requests)
	if now.After(l.sweep) {
		maps.DeleteFunc(l.full, func(_ string, full time.Time) bool { return !full.After(now) })
		l.sweep = now.Add(window)
	}
	filling := max(l.full[bucket].Sub(now), 0)
	if counted := filling + l.interval; counted <= window {
		filling = counted
	} else {
		q.wait = counted - window
	}
	q.left, q.reset = int((window-filling)/l.interval), filling
	l.full[bucket] = now.Add(filling)
	return q
}

// limitRate counts the request and refuses it if it is one too many for its client, or for its address if it does not
// prove its client. Token requests count for the address, before their credentials are verified. Otherwise the error is
// err, which is why the request is refused anyway.
func (x *exchange) limitRate(err error) error {
	l := x.server.rates
	if l == nil || x.op.Access == contract.Open || x.op.IsSandbox() || x.ofPage {
		return err
	}
	bucket := "client " + x.session.Token.ClientID
	if x.session.Token.ClientID == "" || x.session.Expired != nil {
		bucket = "address " + network(x.r.RemoteAddr)
	}
	q := l.count(bucket)
	header := x.w.Header()
	header.Set("RateLimit-Policy", l.policy)
	reset := int((q.reset + time.Second - 1) / time.Second)
	header.Set("RateLimit", `"`+policyName+`";r=`+strconv.Itoa(q.left)+";t="+strconv.Itoa(reset))
	if q.wait == 0 {
		return err
	}
	problem := payments.NewProblem(payments.KindRateLimited,
		"No more than %d requests in %s are answered.", l.Requests, l.Window)
	problem.RetryAfter = q.wait
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
