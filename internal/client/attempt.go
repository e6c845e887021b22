package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// A Response is a complete answer.
type Response struct {
	Status int
	Line   string // the status line, such as HTTP/1.1 200 OK
	Header http.Header
	Body   []byte // decompressed
}

// errBodyTooLarge is the reason why an answer is refused that is larger than maxBodyBytes, or than maxSnapshotBytes.
var errBodyTooLarge = errors.New("the answer is too large: larger than 8 MiB, or a snapshot larger than 64 MiB")

// headerKey is deliberately not in canonical form. net/http takes a request for repeatable, and sends it a second time
// by itself when a reused connection breaks, if its header map has the canonical form of this name. Header names are
// not case-sensitive (RFC 9110 section 5.1), so that the service reads the same.
const headerKey = "idempotency-key"

// send sends a request once and reads the whole answer. Sent says whether the service may have received it; it is
// false only when certainly nothing of the request left.
func (c *Client) send(ctx context.Context, r *request, target *url.URL, authorization string, hold time.Duration) (answer *Response, sent bool, err error) {
	if err := c.paceAgain(ctx, r); err != nil {
		return nil, false, err
	}
	var connected, wrote atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { connected.Store(true) },
		WroteHeaders: func() { wrote.Store(true) },
	})
	request := c.wire(r, target, authorization, hold).WithContext(traced)
	exchange := c.log.request(r, request)
	response, err := c.transport.RoundTrip(request) //nolint:bodyclose // receive reads it to its end and closes it
	if err == nil {
		answer, err = receive(response, r.most())
	}
	if err != nil {
		exchange.failed(err)
		// A call that is cut off by its context may still be on its way through the transport.
		return nil, wrote.Load() || connected.Load() && ctx.Err() != nil, err
	}
	exchange.answered(answer)
	if !r.keepsSecrets || answer.Status >= 300 {
		c.config.Secrets.redactor().strip(answer)
	}
	c.notice(answer, authorization)
	return answer, true, nil
}

// wire builds the HTTP request. Its body has no GetBody, which is the other thing that net/http needs to send a
// request again by itself.
func (c *Client) wire(r *request, target *url.URL, authorization string, hold time.Duration) *http.Request {
	header := maps.Clone(r.header) // whose values nobody changes
	if authorization != "" {
		header["Authorization"] = []string{authorization}
	}
	if r.key != "" {
		header[headerKey] = []string{r.key}
	}
	if seconds := int64(hold / time.Second); seconds > 0 {
		header.Set("Prefer", "wait="+strconv.FormatInt(seconds, 10))
	}
	request := &http.Request{Method: r.method, URL: target, Host: target.Host, Header: header}
	if len(r.body) > 0 {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
	}
	return request
}

// receive reads an answer to its end, so that the connection can be used again. A body that is too large is refused,
// not cut.
func receive(response *http.Response, most int64) (*Response, error) {
	defer func() { _ = response.Body.Close() }()
	var body bytes.Buffer
	switch {
	case response.Body == http.NoBody: // the length that HEAD tells of is another answer's
	case response.ContentLength > most:
		return nil, errBodyTooLarge
	case response.ContentLength > 0:
		body.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer (status %d) broke off: %w", response.StatusCode, err)
	case n > most:
		return nil, errBodyTooLarge
	}
	return &Response{Status: response.StatusCode, Line: response.Proto + " " + response.Status, Header: response.Header, Body: body.Bytes()}, nil
}
