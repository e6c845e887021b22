package payments

import (
	"context"
	"time"
)

// LatestEvent stands for a cursor at the end of the feed.
const LatestEvent = "latest"

// Events is the feed of all changes, in order and without gaps.
type Events interface {
	// ListEvents returns the events after a cursor, and the cursor after them. The error is a *ProblemError of ProblemGone
	// if the cursor is older than the kept events or the last reset of the world.
	ListEvents(context.Context, EventFilter) (EventPage, error)
}

// An EventStreamer also offers the feed as a stream.
type EventStreamer interface {
	// StreamEvents calls each for every message of the stream. It returns nil when the stream ends, the context's
	// error, or the error of each. The caller opens the stream again at the last cursor. The error is
	// errors.ErrUnsupported if the service has no stream.
	StreamEvents(ctx context.Context, filter EventFilter, each func(EventMessage) error) error
}

// EventFilter selects events of the feed.
type EventFilter struct {
	// After is a cursor, the identifier of an event, or LatestEvent. Empty means before the oldest event.
	After string
	// Types selects events of these types. Empty selects all that the caller may read.
	Types []EventType
	// SubjectID selects events about this account, saved contact or transfer. Empty selects all. A service without this
	// filter also returns other events. Matches tells them apart.
	SubjectID string
	// Limit is the most events to return, 1 to LargestPage. Zero means 20.
	Limit int
	// Wait is how long the service may hold an empty response until there is an event (RFC 7240 section 4.3), in whole
	// seconds.
	Wait time.Duration
}

// Matches reports whether the filter selects an event.
func (f EventFilter) Matches(e Event) bool {
	return oneOf(e.Type, f.Types) && equals(e.SubjectID, f.SubjectID)
}

// An EventMessage is one message of a stream of events.
type EventMessage struct {
	// Cursor is the cursor after the message, or "".
	Cursor string
	// Event is nil in a message that only advances the cursor.
	Event *Event
	// Retry is how long to wait before the stream is opened again. Zero means that the service does not say.
	Retry time.Duration
}
