package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// DefaultStreamSilence is how long a stream may be silent if Config.StreamSilence is zero: a few heartbeats of the
// service.
const DefaultStreamSilence = time.Minute

const mediaEventStream = "text/event-stream"

// ListEvents implements payments.Events.
func (c *Client) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	return fetch(ctx, c, operationCall{
		op: &contract.ListEvents, query: eventQuery(filter), since: payments.ReadOptions{Wait: filter.Wait},
	}, checkEventPage(filter.After))
}

func eventQuery(filter payments.EventFilter) url.Values {
	return pageQuery(payments.PageQuery{Limit: filter.Limit},
		"after", filter.After, "types", joined(filter.Types), "subjectId", filter.SubjectID)
}

// checkEventPage returns what makes a page of events unusable. The place after an event is its id, where a page does not
// say it.
func checkEventPage(after string) func(*payments.EventPage) string {
	return func(page *payments.EventPage) string {
		if last := len(page.Data) - 1; page.Cursor == "" && last >= 0 {
			page.Cursor = page.Data[last].ID
		}
		page.Cursor = cmp.Or(page.Cursor, after)
		return missing("data", page.Data != nil)
	}
}

// StreamEvents implements payments.EventStreamer. It opens the stream once: only the caller knows the cursor after the
// last message that it has processed. Config.Timeout ends when the response begins; from then on the stream may be
// silent for Config.StreamSilence. Filter.Wait and filter.Limit have no meaning here.
func (c *Client) StreamEvents(
	ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error,
) error {
	filter.Limit = 0
	at := c.route(&contract.ListEvents)
	r, err := c.requestTo(at.Method, at.Path, eventQuery(filter))
	if err != nil {
		return err
	}
	r.isStream = true
	r.header.Set("Accept", mediaEventStream+", application/problem+json;q=0.9")
	if filter.After != "" && filter.After != payments.LatestEvent {
		r.header.Set("Last-Event-ID", filter.After)
	}
	if err := c.awaitTurn(ctx, r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.config.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	stream, err := c.openStream(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	alive := func() { silence.Reset(c.config.StreamSilence) }
	secrets := c.config.Secrets
	var callerErr error
	err = readMessages(stream, alive, func(m message) error {
		m.data, m.id = secrets.Body(m.data), secrets.Redact(m.id)
		decoded, err := c.decodeEvent(m)
		if err != nil {
			return err
		}
		silence.Stop() // the caller takes its time
		callerErr = each(decoded)
		alive()
		return callerErr
	})
	switch {
	case callerErr != nil:
		return callerErr
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(context.Cause(ctx), errSilent):
		return c.unusable(r, nil, err, "the stream of events was silent for too long")
	case ctx.Err() != nil:
		return interrupted(ctx, r)
	}
	return c.unusable(r, nil, err, "the stream of events broke off ("+c.redact(r, err.Error())+")")
}

var errSilent = errors.New("nothing came in time")

// openStream sends the request until the stream begins, a second time if the service rejects the token. The caller
// closes the stream.
func (c *Client) openStream(ctx context.Context, r *request) (io.ReadCloser, error) {
	if c.config.Curl != nil {
		return nil, c.showCurl(r)
	}
	authorization, err := c.authorize(ctx, r)
	if err != nil {
		return nil, err
	}
	for renewed := false; ; renewed = true {
		response, sent, err := c.roundTrip(ctx, r, r.url, authorization, 0)
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errSilent):
			return nil, c.timedOut(r, errors.Join(context.DeadlineExceeded, err))
		case err != nil:
			return nil, c.judgeFailure(ctx, r, sent, err).err
		case response.stream != nil:
			media := response.mediaType()
			if media == mediaEventStream {
				return response.stream, nil
			}
			_ = response.stream.Close() // it may be endless
			fault := fmt.Sprintf("the answer is of type %.80q in place of %s", media, mediaEventStream)
			return nil, noStream(c.unusable(r, nil, nil, fault))
		case isRedirect(response.Status):
			return nil, noStream(c.unusable(r, response, nil, "a stream of events does not follow redirects"))
		}
		result := c.judgeResponse(r, response)
		if response.Status == http.StatusNotAcceptable {
			return nil, noStream(result.err)
		}
		if renewed || !result.tokenRejected() {
			return nil, result.err
		}
		if authorization, err = c.renew(ctx, r, authorization); err != nil {
			return nil, errors.Join(result.err, err)
		}
	}
}

// noStream marks the error of a service that has no stream of events.
func noStream(err error) error { return fmt.Errorf("%w (%w)", err, errors.ErrUnsupported) }

// decodeEvent reads the event of a message, if it has one.
func (c *Client) decodeEvent(m message) (payments.EventMessage, error) {
	decoded := payments.EventMessage{Cursor: m.id, Retry: m.retry}
	if len(m.data) > 0 {
		decoded.Event = &payments.Event{}
		fault := describeJSONError(payments.Read(m.data, decoded.Event, c.dialect.TranslateType))
		fault = cmp.Or(fault, missing("id", decoded.Event.ID != ""), missing("type", decoded.Event.Type != ""))
		if fault != "" {
			return decoded, errors.New("a message is no event: " + fault)
		}
	}
	return decoded, nil
}
