package payments

import (
	"context"
	"time"
)

// LatestEvent in place of a cursor is the end of the feed.
const LatestEvent = "latest"

// Events is the feed of what happened, in order and without gaps.
type Events interface {
	// ListEvents returns the events after a cursor, and the cursor after them. The error is a *Refusal of kind KindGone
	// when the cursor is older than what is kept, or of another life of the world.
	ListEvents(context.Context, EventFilter) (EventPage, error)
}

// An EventStreamer has the feed as a stream too.
type EventStreamer interface {
	// StreamEvents calls each with what the stream sends, until the stream ends (nil, to be opened again where it ended),
	// the context does or each returns an error. The error is errors.ErrUnsupported when the service has no stream.
	StreamEvents(ctx context.Context, filter EventFilter, each func(EventMessage) error) error
}

// EventFilter selects events of the feed.
type EventFilter struct {
	// After is a cursor, the identifier of an event, or LatestEvent; empty is the oldest event that is kept.
	After string
	// Types keeps events of these types; empty keeps all that the caller may read.
	Types []EventType
	// Limit is the most events to return at once, 1 to LargestPage; zero means 20.
	Limit int
	// Wait is how long an answer without events may be held until there is one (RFC 7240 section 4.3). It is cut to whole
	// seconds.
	Wait time.Duration
}

// An EventMessage is a message of a stream of events.
type EventMessage struct {
	// Cursor is where the feed goes on after the message; empty when the message does not say.
	Cursor string
	// Event is nil in a message that only moves the cursor.
	Event *Event
	// Retry is how long the service asks to wait before the stream is opened again; zero when it does not say.
	Retry time.Duration
}
