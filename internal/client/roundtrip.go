package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// field returns the first value of a header field, or "".
func field(response *payments.Response, name string) string {
	return http.Header(response.Header).Get(name)
}

// contentType returns the Content-Type. Several fields are joined (RFC 9110 section 5.3), and are then not a media
// type.
func contentType(response *payments.Response) string {
	return strings.Join(response.Header["Content-Type"], ", ")
}

// mediaType returns the media type without its parameters, or "".
func mediaType(response *payments.Response) string {
	media, _, err := mime.ParseMediaType(contentType(response))
	if err != nil {
		return ""
	}
	return media
}

// errBodyTooLarge means that a response is larger than maxBodyBytes or maxSnapshotBytes.
var errBodyTooLarge = errors.New("the answer is too large: larger than 8 MiB, or a snapshot larger than 64 MiB")

// keyHeader returns the name of the header field of idempotency keys. It deliberately does not have the canonical form.
// For a canonical Idempotency-Key, net/http takes the request for repeatable, and resends it when a reused connection
// breaks. Header names ignore case (RFC 9110 section 5.1), so the service reads the same.
func (c *Client) keyHeader() string {
	return strings.ToLower(cmp.Or(c.config.ServiceMap.KeyHeader, "Idempotency-Key"))
}

// attempt sends a request once and judges the result.
func (c *Client) attempt(ctx context.Context, r *request, authorization string, wait time.Duration) attemptResult {
	response, sent, err := c.roundTrip(ctx, r, authorization, wait)
	if err != nil {
		return c.judgeFailure(ctx, r, sent, err)
	}
	return c.judgeResponse(r, response)
}

// roundTrip sends a request once and reads the whole response. Sent reports whether the service may have received it.
// It is false only if certainly nothing left this machine.
func (c *Client) roundTrip(
	ctx context.Context, r *request, authorization string, wait time.Duration,
) (response *payments.Response, sent bool, err error) {
	if err := c.awaitTurn(ctx, r); err != nil {
		return nil, false, err
	}
	r.hasTurn = false // the next attempt waits again
	// The send check is asked before the write looks for a connection, and again when it has one: connecting may take
	// long, or the machine may sleep. If the write may not leave, its connection is closed before anything is written. The
	// first refusal stands, however often the transport connects.
	var forbidden atomic.Pointer[forbiddenError]
	ask := func() {
		if r.maySend != nil && forbidden.Load() == nil {
			if err := r.maySend(ctx, r.lostBefore); err != nil {
				forbidden.Store(&forbiddenError{err})
			}
		}
	}
	if ask(); forbidden.Load() != nil {
		return nil, false, forbidden.Load()
	}
	var connected, wrote atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			connected.Store(true)
			if ask(); forbidden.Load() != nil {
				_ = got.Conn.Close()
			}
		},
		WroteHeaders: func() { wrote.Store(true) },
	})
	httpRequest := c.httpRequest(r, authorization, wait).WithContext(traced)
	logged := c.logRequest(r, httpRequest)
	httpResponse, err := c.transport.RoundTrip(httpRequest)
	answered := err == nil
	if answered {
		response, err = r.readResponse(httpResponse)
	}
	logged(response, err)
	if err != nil && forbidden.Load() != nil {
		return nil, false, forbidden.Load()
	}
	if err != nil {
		// If the context ended, the transport may still be writing the request.
		return nil, answered || wrote.Load() || connected.Load() && ctx.Err() != nil, err
	}
	if !r.returnsToken || response.Status >= 300 {
		response.Body = c.config.Secrets.Body(response.Body)
		c.config.Secrets.Header(response.Header)
	}
	if response.Status >= 400 {
		if masked, whole := c.mask(r).Body(response.Body, r.shows(response.Status)); whole {
			response.Body = masked
		}
	}
	c.noteService(response.Header, response.Status, authorization)
	return response, true, nil
}

// A forbiddenError means that effect.SendCheck has stopped an attempt.
type forbiddenError struct{ error }

func (e *forbiddenError) Unwrap() error { return e.error }

// awaitTurn waits until the request may be sent (Config.Pace).
func (c *Client) awaitTurn(ctx context.Context, r *request) error {
	if c.config.Pace != nil && !r.hasTurn && c.config.Pace(ctx) != nil {
		return interrupted(ctx, r)
	}
	r.hasTurn = true
	return nil
}

// httpRequest builds the HTTP request. Its body has no GetBody, so net/http cannot repeat it either.
func (c *Client) httpRequest(r *request, authorization string, wait time.Duration) *http.Request {
	header := maps.Clone(r.header) // a shallow copy: its values are not changed
	if authorization != "" {
		header["Authorization"] = []string{authorization}
	}
	if r.key != "" {
		header[c.keyHeader()] = []string{r.key}
	}
	if seconds := int64(wait / time.Second); seconds > 0 {
		header.Set("Prefer", "wait="+strconv.FormatInt(seconds, 10))
	}
	httpRequest := &http.Request{Method: r.method, URL: r.url, Host: r.url.Host, Header: header}
	if len(r.body) > 0 {
		httpRequest.Body, httpRequest.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
	}
	return httpRequest
}

// errNotFinal reports a response with a status below 200, which does not tell what became of the request (RFC 9110
// section 15.2). Instead of a final response, that is a 101: the service has switched to another protocol unasked.
var errNotFinal = errors.New("answers no request")

// readResponse reads a response to its end, unless it is a stream. The connection can then be used again. A body that
// is too large is an error. It is not cut.
func (r *request) readResponse(response *http.Response) (*payments.Response, error) {
	if response.StatusCode < 200 {
		_ = response.Body.Close()
		return nil, fmt.Errorf("status %d %w", response.StatusCode, errNotFinal)
	}
	complete := &payments.Response{
		Method: r.method, Path: r.url.EscapedPath(), Status: response.StatusCode, Header: response.Header,
	}
	if r.isStream && response.StatusCode == http.StatusOK {
		r.stream = response.Body
		return complete, nil
	}
	defer response.Body.Close()
	if r.method == http.MethodHead || mediaType(complete) == mediaEventStream {
		return complete, nil // HEAD has another response's Content-Length (RFC 9110 section 8.6); a stream has no end
	}
	var body bytes.Buffer
	switch {
	case response.ContentLength > r.maxBody:
		return nil, errBodyTooLarge
	case response.ContentLength > 0:
		body.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(response.Body, r.maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer (status %d) broke off: %w", response.StatusCode, err)
	case n > r.maxBody:
		return nil, errBodyTooLarge
	}
	complete.Body = inUTF8(body.Bytes(), contentType(complete))
	return complete, nil
}

// inUTF8 returns a text without a byte order mark. It converts a text in ISO-8859-1, by the Content-Type, to UTF-8.
func inUTF8(body []byte, contentType string) []byte {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	_, parameters, _ := mime.ParseMediaType(contentType)
	if !strings.EqualFold(parameters["charset"], "iso-8859-1") {
		return body
	}
	text := make([]rune, len(body))
	for i, b := range body {
		text[i] = rune(b)
	}
	return []byte(string(text))
}
