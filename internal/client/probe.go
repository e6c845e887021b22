package client

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/contract"
)

// A Probe is what one request shows about the way to the service.
type Probe struct {
	Proxy   string               // without its credentials; empty for none
	Address string               // the other end of the connection: the service or the proxy
	TLS     *tls.ConnectionState // nil for plain http, and without a connection
	Status  int                  // HTTP status; any status shows that the other end speaks HTTP
	// StatusText is the meaning of the status, such as Not Found; empty for one that no standard has.
	StatusText string
	Server     string        // the Server header; may be empty
	Took       time.Duration // from the call to the complete response
	// Ahead is how far this machine's clock is ahead of the service's, to a second; negative if it is behind. Dated
	// reports whether the response had a Date from which it could be computed.
	Ahead time.Duration
	Dated bool
}

// Probe asks the service once for its health, without a credential. Any response is a success. The error is a
// *payments.ProblemError.
func (c *Client) Probe(ctx context.Context) (Probe, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	r, err := c.requestTo(http.MethodGet, c.route(&contract.GetHealth).Path, nil)
	if err != nil {
		return Probe{}, err
	}
	if c.config.Curl != nil {
		return Probe{}, c.showCurl(r)
	}
	var found Probe
	_, proxy, err := proxyOf(c.base)
	if err != nil {
		return found, c.unreachable(r, err)
	}
	if proxy != nil {
		found.Proxy = proxy.Scheme + "://" + proxy.Host
	}
	var mu sync.Mutex // a second connection, which is then not used, may report at the same time
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		mu.Lock()
		defer mu.Unlock()
		found.Address = info.Conn.RemoteAddr().String()
		if secure, ok := info.Conn.(*tls.Conn); ok {
			state := secure.ConnectionState()
			found.TLS = &state
		}
	}})
	began := c.config.Now()
	response, sent, err := c.roundTrip(traced, r, r.url, "", 0)
	ended := c.config.Now()
	mu.Lock()
	defer mu.Unlock()
	found.Took = ended.Sub(began)
	switch {
	case err != nil && sent && ctx.Err() != nil:
		return found, c.timedOut(r, err)
	case err != nil && sent:
		return found, c.unusable(r, nil, err, "the connection stood, and there was no complete answer ("+
			c.redact(r, failure(err))+")")
	case err != nil:
		return found, c.unreachable(r, err)
	}
	if refused := refusedByProxy(c.base, response.Status); refused != nil {
		return found, c.unreachable(r, refused)
	}
	found.Status, found.StatusText = response.Status, http.StatusText(response.Status)
	found.Server = response.Header.Get("Server")
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		found.Dated = true
		// The service set the date between the two times, and cut it to the second.
		switch latest := date.Add(time.Second); {
		case began.After(latest):
			found.Ahead = began.Sub(latest)
		case ended.Before(date):
			found.Ahead = ended.Sub(date)
		}
		found.Ahead = found.Ahead.Round(time.Second)
	}
	return found, nil
}
