package client

import (
	"context"
	"net/http"
	"os"
	"time"

	"github.com/payctl/payctl/internal/contract"
)

// A Probe is what one request shows about the connection to the service.
type Probe struct {
	Proxy  string        // without its credentials; empty for none
	Status int           // the HTTP status
	Server string        // the Server header; may be empty
	Took   time.Duration // from the call to the complete response
	// Ahead is how far this machine's clock is ahead of the service's, to a second. Dated reports whether the response
	// had a Date to compute it from.
	Ahead time.Duration
	Dated bool
}

// StatusText returns the meaning of the status, such as Not Found.
func (p Probe) StatusText() string { return http.StatusText(p.Status) }

// Probe asks the service once for its health, without a credential. Any response is a success. The error is a
// *payments.ProblemError.
func (c *Client) Probe(ctx context.Context) (found Probe, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	r, err := c.requestTo(http.MethodGet, contract.GetHealth.Path, nil)
	if err != nil {
		return found, err
	}
	if c.config.Curl != nil {
		return found, c.showCurl(r)
	}
	_, proxy, err := ProxyOf(os.Getenv, c.base)
	if err != nil {
		return found, c.unreachable(r, err)
	}
	if proxy != nil {
		found.Proxy = proxy.Scheme + "://" + proxy.Host
	}
	began := c.config.Now()
	response, sent, err := c.roundTrip(ctx, r, "", 0)
	found.Took = c.config.Now().Sub(began)
	if err != nil {
		return found, c.judgeFailure(ctx, r, sent, err).err
	}
	if refused := refusedByProxy(c.base, response.Status); refused != nil {
		return found, c.unreachable(r, refused)
	}
	found.Status, found.Server = response.Status, field(response, "Server")
	if date, err := http.ParseTime(field(response, "Date")); err == nil {
		found.Dated = true
		// The service set the date about halfway, and cut it to the second.
		found.Ahead = began.Add(found.Took / 2).Sub(date.Add(time.Second / 2)).Round(time.Second)
	}
	return found, nil
}
