package server

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// streamEvents answers with server-sent events (HTML Living Standard section 9.2) until the client goes away, the service
// stops, the token works no longer or the world is reset. The client then opens the stream again where it ended, and
// learns what is the matter.
func (c *call) streamEvents(filter payments.EventFilter) error {
	if id := c.r.Header.Get("Last-Event-ID"); id != "" {
		filter.After = id
	}
	filter.Limit = streamBatch
	page, err := c.session.Service.ListEvents(c.r.Context(), filter)
	if err != nil {
		return err
	}
	header := c.w.Header()
	header.Set("Content-Type", mediaEventStream)
	header.Set("X-Accel-Buffering", "no") // asks a proxy to pass on what comes as it comes
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("retry: " + strconv.FormatInt(streamRetry.Milliseconds(), 10) + "\n")
	filter.Wait = heartbeat
	for {
		if err := writeEvents(&b, page); err != nil {
			return err
		}
		if err := c.flush(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
		filter.After = page.Cursor
		if page, err = c.session.Service.ListEvents(c.r.Context(), filter); err != nil || c.r.Context().Err() != nil {
			return nil //nolint:nilerr // the status is sent: the end of the stream is the answer
		}
		if c.reauthorize() != nil { // before anything more is told
			return nil //nolint:nilerr // likewise
		}
	}
}

// writeEvents writes a message for each event. Without events it is a comment and the cursor, so that the connection is
// known to live and a client goes on behind what was passed over.
func writeEvents(b *bytes.Buffer, page payments.EventPage) error {
	for _, event := range page.Data {
		b.WriteString("id: " + event.ID + "\nevent: " + string(event.Type) + "\ndata: ")
		text, err := payments.Encode(event)
		if err != nil {
			return err
		}
		b.Write(text) // JSON in one line
		b.WriteString("\n\n")
	}
	if len(page.Data) == 0 {
		b.WriteString(":\nid: " + page.Cursor + "\n\n")
	}
	return nil
}

// flush sends a piece of the answer at once.
func (c *call) flush(piece []byte) error {
	control := http.NewResponseController(c.w)
	_ = control.SetWriteDeadline(time.Now().Add(min(streamWriteTimeout, c.server.Bounds.AnswerTimeout))) // without deadlines, the client may take its time
	if _, err := c.w.Write(piece); err != nil {
		return errGone
	}
	if err := control.Flush(); err != nil {
		return errGone
	}
	return nil
}
