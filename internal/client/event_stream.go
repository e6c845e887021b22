package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// DefaultStreamSilence is how long a stream may be silent when Config.StreamSilence is zero.
const DefaultStreamSilence = time.Minute

const mediaEventStream = "text/event-stream"

var _ payments.EventStreamer = (*Client)(nil)

// StreamEvents implements payments.EventStreamer. It opens the stream once and never again by itself: the caller knows the
// cursor after the last message that it has dealt with. The time that each call may take counts until the answer begins;
// from then on the stream may be silent for Config.StreamSilence. Filter.Wait and filter.Limit do not count.
func (c *Client) StreamEvents(ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error) error {
	filter.Limit = 0
	where := c.route(&contract.ListEvents)
	target, err := c.resolve(where.path, eventQuery(filter))
	if err != nil {
		return err
	}
	r := &request{method: where.method, url: target, header: c.header()}
	r.header.Set("Accept", mediaEventStream+", application/problem+json;q=0.9")
	if filter.After != "" && filter.After != payments.LatestEvent {
		r.header.Set("Last-Event-ID", filter.After)
	}
	r.knows(c)
	if err := c.pace(ctx, r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(c.config.Timeout, func() { cancel(errSilent) })
	defer quiet.Stop()
	response, err := c.openStream(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	alive := func() { quiet.Reset(c.config.StreamSilence) }
	stripped := c.config.Secrets.redactor()
	err = readMessages(response.Body, alive, func(m message) error {
		m.data, m.id = stripped.stripBody(m.data), stripped.text(m.id)
		return deliver(m, each)
	})
	var own *callerError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &own):
		return own.error
	case errors.Is(context.Cause(ctx), errSilent):
		return c.unusable(r, nil, err, "the stream of events was silent for too long")
	case ctx.Err() != nil:
		return interrupted(ctx, r)
	}
	return c.unusable(r, nil, err, "the stream of events broke off ("+r.scrub(err.Error())+")")
}

var errSilent = errors.New("nothing came in time")

// openStream sends the request, with a renewed token where the service asks for one, until the stream begins. The caller
// closes its body.
func (c *Client) openStream(ctx context.Context, r *request) (*http.Response, error) {
	if c.config.Curl != nil {
		return nil, c.show(r)
	}
	authorization, err := c.authorize(ctx, r)
	if err != nil {
		return nil, err
	}
	for renewed := false; ; renewed = true {
		response, result := c.beginStream(ctx, r, authorization)
		if response != nil {
			return response, nil
		}
		if renewed || !result.tokenRejected() {
			return nil, result.err
		}
		if authorization, err = c.renew(ctx, r, authorization); err != nil {
			return nil, errors.Join(result.err, err)
		}
	}
}

// beginStream sends the request once. Without a response, the outcome says why there is none.
func (c *Client) beginStream(ctx context.Context, r *request, authorization string) (*http.Response, outcome) {
	if err := c.paceAgain(ctx, r); err != nil {
		return nil, outcome{err: err}
	}
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	request := c.wire(r, r.url, authorization, 0).WithContext(traced)
	exchange := c.log.request(r, request)
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		exchange.failed(err)
		if errors.Is(context.Cause(ctx), errSilent) {
			return nil, outcome{err: c.timedOut(r, errors.Join(context.DeadlineExceeded, err))}
		}
		return nil, c.broken(ctx, r, connected.Load(), err)
	}
	c.config.Secrets.redactor().stripHeader(response.Header)
	see(&c.world, response.Header.Get("Payctl-World"))
	see(&c.server, response.Header.Get("Server"))
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && media == mediaEventStream {
		exchange.answered(&Response{Status: response.StatusCode, Header: response.Header})
		return response, outcome{}
	}
	if response.StatusCode == http.StatusOK { // perhaps endless, and of no use
		exchange.answered(&Response{Status: response.StatusCode, Header: response.Header})
		_ = response.Body.Close()
		return nil, outcome{err: noStream(c.unusable(r, nil, nil, fmt.Sprintf("the answer is of type %.80q in place of %s", media, mediaEventStream)))}
	}
	answer, err := receive(response, r.most())
	if err != nil {
		exchange.failed(err)
		return nil, c.broken(ctx, r, true, err)
	}
	exchange.answered(answer)
	c.config.Secrets.redactor().strip(answer)
	if isRedirect(answer.Status) {
		return nil, outcome{err: noStream(c.unusable(r, answer, nil, "a stream of events does not follow redirects"))}
	}
	result := c.judge(r, answer)
	if answer.Status == http.StatusNotAcceptable {
		result.err = noStream(result.err)
	}
	return nil, result
}

// noStream marks an error as one of a service that has no stream of events.
func noStream(err error) error { return fmt.Errorf("%w (%w)", err, errors.ErrUnsupported) }

// callerError is an error of the function that messages are delivered to, told apart from those of the stream.
type callerError struct{ error }

// deliver decodes a message.
func deliver(m message, each func(payments.EventMessage) error) error {
	out := payments.EventMessage{Cursor: m.id, Retry: m.retry}
	if len(m.data) > 0 {
		var event payments.Event
		what := describe(json.Unmarshal(m.data, &event))
		if what == "" {
			what = completeEvent(&event)
		}
		if what != "" {
			return errors.New("a message is no event: " + what)
		}
		out.Event = &event
	}
	if err := each(out); err != nil {
		return &callerError{err}
	}
	return nil
}
