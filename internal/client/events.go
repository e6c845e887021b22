package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// DefaultStreamSilence is how long a stream may be silent if Config.StreamSilence is zero: a few heartbeats of the
// service.
const DefaultStreamSilence = time.Minute

const mediaEventStream = "text/event-stream"

// ListEvents implements payments.Events. If a page has no cursor, it is the id of the last event.
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
// last message that it has processed. Config.Timeout applies until the response begins. Then the stream may be silent
// for Config.StreamSilence. Filter.Wait and filter.Limit do not apply.
func (c *Client) StreamEvents(
	ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error,
) error {
	filter.Limit = 0
	call := operationCall{op: &contract.ListEvents, query: eventQuery(filter)}
	r, err := c.newRequest(ctx, call)
	if err != nil {
		return err
	}
	r.isStream = true
	r.header.Set("Accept", mediaEventStream+", application/problem+json;q=0.9")
	if filter.After != "" && filter.After != payments.LatestEvent {
		r.header.Set("Last-Event-ID", filter.After)
	}
	r.accept = func(response *payments.Response) string { return acceptStream(response, r.stream) }
	if err := c.awaitTurn(ctx, r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.config.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	opened := c.sendWithRetries(ctx, r)
	if opened.err != nil {
		if response := opened.response; response != nil &&
			(response.Status < 400 || response.Status == http.StatusNotAcceptable) {
			return fmt.Errorf("%w (%w)", opened.err, errors.ErrUnsupported) // the service has no stream of events
		}
		return opened.err
	}
	defer func() { _ = r.stream.Close() }()
	alive := func() { silence.Reset(c.config.StreamSilence) }
	secrets := c.config.Secrets
	var callerErr error
	err = readMessages(r.stream, alive, func(m message) error {
		m.data, m.id = secrets.Body(m.data), secrets.Redact(m.id)
		decoded, err := c.decodeEvent(m)
		if err != nil {
			return err
		}
		if decoded == (payments.EventMessage{}) { // a greeting or a ping
			return nil
		}
		silence.Stop() // the caller may take long
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
	return c.unusable(r, nil, err, "the stream of events broke off ("+c.mask(r).Text(err.Error())+")")
}

var errSilent = errors.New("nothing came in time")

// acceptStream returns why a successful response is not a stream of events, or "".
func acceptStream(response *payments.Response, stream io.ReadCloser) string {
	media := mediaType(response)
	if media == mediaEventStream && stream != nil {
		return ""
	}
	if stream != nil {
		_ = stream.Close() // it may be endless
	}
	return fmt.Sprintf("the answer is of type %.80q instead of %s", media, mediaEventStream)
}

// longestRetry is the longest pause that a service can ask for before a stream is opened again.
const longestRetry = time.Minute

// decodeEvent reads the event of a message. Data without an id and a type is not an event: a ping, for example.
func (c *Client) decodeEvent(m message) (payments.EventMessage, error) {
	decoded := payments.EventMessage{Cursor: m.id, Retry: min(m.retry, longestRetry)}
	if len(m.data) > 0 {
		decoded.Event = &payments.Event{}
		event, err := c.config.ServiceMap.Event(m.data)
		if err == nil {
			err = effect.Read(event, decoded.Event)
		}
		fault := describeJSONError(err)
		isNone := decoded.Event.ID == "" && decoded.Event.Type == ""
		if fault == "" && !isNone && (decoded.Event.ID == "" || decoded.Event.Type == "") {
			fault = "it has no id or no type"
		}
		switch {
		case isNone && (fault == "" || m.id == ""):
			decoded.Event = nil
		case fault != "":
			return decoded, errors.New("a message is not an event: " + fault)
		}
	}
	return decoded, nil
}

// maxMessage is the size limit of a message of a stream, and of a line, in bytes. An event has a few hundred.
const maxMessage = 1 << 20

var errMessageTooLarge = errors.New("a message of the stream is larger than 1 MiB")

// A message is a block of server-sent events.
type message struct {
	id    string        // the new last event id; empty means unchanged
	data  []byte        // nil means that the block has none
	retry time.Duration // the pause before the stream is opened again; zero means not given
}

// readMessages reads server-sent events (HTML Living Standard section 9.2.6) to the end of the stream. The error is
// io.EOF, or io.ErrUnexpectedEOF if the response was cut. An unfinished block does not count. Alive is called with each
// line.
//
// Unlike a browser, it also reports blocks with only an id, and ignores the names of events, which the data repeat.
// Lines end with LF or CRLF.
func readMessages(stream io.Reader, alive func(), each func(message) error) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxMessage+1)
	var m message
	meaningful := false
	for size := 0; lines.Scan(); {
		alive()
		line := lines.Bytes()
		if len(line) == 0 {
			if meaningful {
				if err := each(m); err != nil {
					return err
				}
			}
			m, meaningful, size = message{}, false, 0
			continue
		}
		if size += len(line); size > maxMessage {
			return errMessageTooLarge
		}
		meaningful = m.addLine(line) || meaningful
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errMessageTooLarge
	}
	return cmp.Or(lines.Err(), io.EOF)
}

// addLine adds a line that is not empty. It reports whether the line is part of a message.
func (m *message) addLine(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if m.data != nil {
			m.data = append(m.data, '\n')
		}
		m.data = append(m.data, value...)
	case "id":
		if len(value) == 0 || !isVisibleASCII(string(value)) {
			return false // it could not be sent back
		}
		m.id = string(value)
	case "retry":
		milliseconds, err := strconv.ParseUint(string(value), 10, 32)
		if err != nil {
			return false
		}
		m.retry = time.Duration(milliseconds) * time.Millisecond
	default:
		return false
	}
	return true
}
