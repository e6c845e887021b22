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

// A Reach is what one look at the service shows of the way there.
type Reach struct {
	Proxy   string               // without its credentials; empty: none
	Address string               // of the other end of the connection: the service's or the proxy's
	TLS     *tls.ConnectionState // nil: plain http, or no connection
	Status  int                  // HTTP status; any says that something speaks HTTP there
	Took    time.Duration        // from the call to the whole answer
	// Ahead is by how much this machine's clock is ahead of the service's, to a second; negative: behind. Dated says
	// whether the answer told.
	Ahead time.Duration
	Dated bool
}

// Reach asks the service once whether it is well, without a credential. Whatever it answers counts. The error is a *Failure.
func (c *Client) Reach(ctx context.Context) (Reach, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	target, err := c.resolve(c.route(&contract.GetHealth).path, nil)
	if err != nil {
		return Reach{}, err
	}
	r := &request{method: http.MethodGet, url: target, header: c.header()}
	var found Reach
	if found.Proxy, err = c.Proxy(); err != nil {
		return found, c.unreachable(r, err)
	}
	var mu sync.Mutex // a connection that is dialled for nothing may report beside the one that is used
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
	answer, sent, err := c.send(traced, r, target, "", 0)
	ended := c.config.Now()
	mu.Lock()
	defer mu.Unlock()
	found.Took = ended.Sub(began)
	switch {
	case err != nil && sent && ctx.Err() != nil:
		return found, c.timedOut(r, err)
	case err != nil && sent:
		return found, c.unusable(r, nil, err, "the connection stood, and no answer that HTTP knows came")
	case err != nil:
		return found, c.unreachable(r, err)
	}
	found.Status = answer.Status
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		found.Dated = true
		// The service wrote the date at some moment in between, and cut it to the second.
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
