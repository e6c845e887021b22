package store

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// An Event is something that happened in a world, as an EventLog keeps it.
type Event struct {
	// Seq is the event's place in the log, from 1 without gaps. Append assigns it.
	Seq       uint64
	Type      payments.EventType
	At        time.Time
	SubjectID string
	From, To  string // the subject's states; empty: none
	// Data is the event's payload as it was when the event happened.
	Data payments.EventData
}

// An EventLog holds the events of a world's instance in the order in which they were committed.
type EventLog interface {
	// Append adds an event at the end and returns its place, which is one more than that of the event before. The caller
	// must not change the event afterwards. A transaction that fails uses no place.
	Append(*Event) (seq uint64, err error)
	// After returns events in their order.
	After(EventQuery) ([]*Event, error)
	// Extent returns where the log begins and ends.
	Extent() (EventExtent, error)
	// Prune drops the events up to and including a place.
	Prune(through uint64) error
}

// An EventQuery selects events of a log.
type EventQuery struct {
	// After keeps events at greater places.
	After uint64
	// Types keeps events of these types; empty keeps all.
	Types []payments.EventType
	// Subject keeps events about the record with this identifier; empty keeps all.
	Subject string
	// Limit is the most events to return.
	Limit int
}

// EventExtent is where a log begins and ends.
type EventExtent struct {
	// Pruned is the place of the last event that was dropped, Last that of the last event; zero if there is none.
	Pruned, Last uint64
}
