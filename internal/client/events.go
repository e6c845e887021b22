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

// ListEvents implements payments.Events. The place after an event is its id, where a page does not say it.
func (c *Client) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	page, err := fetch[payments.EventPage](ctx, c,
		operationCall{op: &contract.ListEvents, query: eventQuery(filter), wait: filter.Wait})
	if last := len(page.Data) - 1; page.Cursor == "" && last >= 0 {
		page.Cursor = page.Data[last].ID
	}
	page.Cursor = cmp.Or(page.Cursor, filter.After)
	return page, err
}

func eventQuery(filter payments.EventFilter) url.Values {
	return pageQuery(payments.PageQuery{Limit: filter.Limit},
		"after", filter.After, "types", joined(filter.Types), "subjectId", filter.SubjectID)
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
	r.accept = acceptStream
	if err := c.awaitTurn(ctx, r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.config.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	opened := c.sendWithRetries(ctx, r)
	if opened.err != nil {
		if response := opened.response; response != nil && (response.Status < 400 || response.Status == http.StatusNotAcceptable) {
			return fmt.Errorf("%w (%w)", opened.err, errors.ErrUnsupported) // the service has no stream of events
		}
		return opened.err
	}
	stream := opened.response.stream
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

// acceptStream returns why a successful response is no stream of events; empty if it is one.
func acceptStream(response *Response) string {
	media := response.mediaType()
	if media == mediaEventStream && response.stream != nil {
		return ""
	}
	if response.stream != nil {
		_ = response.stream.Close() // it may be endless
	}
	return fmt.Sprintf("the answer is of type %.80q in place of %s", media, mediaEventStream)
}

// decodeEvent reads the event of a message, if it has one.
func (c *Client) decodeEvent(m message) (payments.EventMessage, error) {
	decoded := payments.EventMessage{Cursor: m.id, Retry: m.retry}
	if len(m.data) > 0 {
		decoded.Event = &payments.Event{}
		fault := describeJSONError(payments.Read(m.data, decoded.Event, c.dialect.TranslateType))
		if fault == "" && (decoded.Event.ID == "" || decoded.Event.Type == "") {
			fault = "it has no id or no type"
		}
		if fault != "" {
			return decoded, errors.New("a message is no event: " + fault)
		}
	}
	return decoded, nil
}
