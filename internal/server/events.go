package server

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// eventScopes maps types of events to the scope that a token needs to read them.
var eventScopes = map[payments.EventType]string{
	payments.EventTypeAccountCreated:       "accounts:read",
	payments.EventTypeKYCStatusChanged:     "kyc:read",
	payments.EventTypeContactCreated:       "contacts:read",
	payments.EventTypeContactDeleted:       "contacts:read",
	payments.EventTypeTransferCreated:      "transfers:read",
	payments.EventTypeTransferStateChanged: "transfers:read",
}

func (x *exchange) listEvents() error {
	x.w.Header().Set("Vary", "Accept")
	filter, err := x.eventFilter()
	if err != nil {
		return err
	}
	if x.media == mediaEventStream {
		return x.streamEvents(filter)
	}
	if x.r.Method != http.MethodHead {
		filter.Wait = x.beginWait()
	}
	page, err := x.session.World.ListEvents(x.ctx, filter)
	if err == nil {
		err = x.finishWait(filter.Wait)
	}
	return x.reply(page, err)
}

// eventFilter reads the validated query. Event types that the token may not read are left out, or refused if the
// request names them.
func (x *exchange) eventFilter() (payments.EventFilter, error) {
	query := x.r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	filter := payments.EventFilter{After: query.Get("after"), SubjectID: query.Get("subjectId"), Limit: limit}
	if given := listParameter[payments.EventType](query, "types"); given != nil {
		for _, kind := range given {
			if scope := eventScopes[kind]; !slices.Contains(x.session.Scopes, scope) {
				return filter, insufficientScope(scope, "Events of the type "+string(kind)+" need the scope "+scope+".")
			}
			filter.Types = append(filter.Types, kind)
		}
		return filter, nil
	}
	for kind, scope := range eventScopes {
		if slices.Contains(x.session.Scopes, scope) {
			filter.Types = append(filter.Types, kind)
		}
	}
	switch len(filter.Types) {
	case 0:
		return filter, insufficientScope("kyc:read transfers:read",
			"The feed needs a scope for some events: accounts:read, kyc:read, contacts:read or transfers:read.")
	case len(eventScopes):
		filter.Types = nil // all of them
	}
	return filter, nil
}

const (
	// heartbeat is the longest silence of a stream: proxies often cut connections that are silent for a minute or less.
	heartbeat = 15 * time.Second
	// streamRetry is how long a client is told to wait before it opens the stream again.
	streamRetry = 2 * time.Second
	// streamWriteTimeout is how long a client may take to accept what is sent at once, within Bounds.AnswerTimeout.
	streamWriteTimeout = 30 * time.Second
	// streamBatch is the most events that are sent at once. It bounds the memory of a stream.
	streamBatch = 100
)

// streamEvents answers with server-sent events (HTML Living Standard section 9.2). The stream ends when the client goes
// away, the service stops, the token stops working or the world is reset. The client then reconnects, after a reset at
// once, and learns the reason.
func (x *exchange) streamEvents(filter payments.EventFilter) error {
	if id := x.r.Header.Get("Last-Event-ID"); id != "" {
		filter.After = id
	}
	filter.Limit = streamBatch
	x.endWithService()
	page, err := x.session.World.ListEvents(x.ctx, filter)
	if err != nil {
		return err
	}
	header := x.w.Header()
	header.Set("Content-Type", mediaEventStream)
	header.Set("X-Accel-Buffering", "no") // asks proxies to pass on events at once
	x.w.WriteHeader(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	messages := []byte("retry: " + strconv.FormatInt(streamRetry.Milliseconds(), 10) + "\n")
	filter.Wait = heartbeat
	for {
		if messages, err = appendEvents(messages, page); err == nil {
			err = x.flush(messages)
		}
		if err != nil {
			return err
		}
		messages = messages[:0]
		filter.After = page.Cursor
		if page, err = x.session.World.ListEvents(x.ctx, filter); err != nil || x.ctx.Err() != nil {
			if payments.IsProblem(err, payments.ProblemGone) {
				return x.flush([]byte("retry: 1\n\n"))
			}
			return nil // the status has been sent, so only the stream can end
		}
		if x.reauthorize() != nil { // before more events are sent
			return nil //nolint:nilerr // the status has been sent
		}
	}
}

// appendEvents appends a message for each event. Without events it appends a comment, which keeps the connection alive,
// and the cursor. A client that reconnects then does not search the same events again.
func appendEvents(b []byte, page payments.EventPage) ([]byte, error) {
	for _, event := range page.Data {
		b = append(b, "id: "+event.ID+"\nevent: "+string(event.Type)+"\ndata: "...)
		data, err := payments.Encode(event) // JSON in one line
		if err != nil {
			return nil, err
		}
		b = append(append(b, data...), "\n\n"...)
	}
	if len(page.Data) == 0 {
		b = append(b, ":\nid: "+page.Cursor+"\n\n"...)
	}
	return b, nil
}

// flush sends a part of the response at once.
func (x *exchange) flush(piece []byte) error {
	control := http.NewResponseController(x.w)
	deadline := time.Now().Add(min(streamWriteTimeout, x.server.config.Bounds.AnswerTimeout))
	_ = control.SetWriteDeadline(deadline) // outside a connection there are no deadlines
	_, err := x.w.Write(piece)
	if err == nil {
		err = control.Flush()
	}
	if err != nil {
		return errClientGone
	}
	return nil
}
