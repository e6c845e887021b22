package store

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// An Event is something that happened, as an EventLog keeps it.
type Event struct {
	// Seq is its place in the log, from 1 without gaps. The log gives it.
	Seq       uint64
	Type      payments.EventType
	At        time.Time
	SubjectID string
	From, To  string // empty: none
	// Of is whom it tells of, as that was when it happened.
	Of Teller `json:"-"`
}

// A Teller knows what an event tells of it. It is asked when the event is read, or written where memory ends.
type Teller interface{ EventData() payments.EventData }

// Told is what an event tells, as it stands.
type Told payments.EventData

// EventData implements Teller.
func (t Told) EventData() payments.EventData { return payments.EventData(t) }

// An EventLog is what happened in a world since its life began, in the order in which it was committed.
type EventLog interface {
	// Append adds an event, which is the log's from then on, at the end and returns its place, which is one more than
	// that of the event before. A transaction that fails uses no place up.
	Append(*Event) (seq uint64, err error)
	// After returns events in their order.
	After(EventQuery) ([]*Event, error)
	// Extent tells where the log begins and ends.
	Extent() (EventExtent, error)
	// Prune forgets the events up to and including a place.
	Prune(through uint64) error
}

// An EventQuery selects events of a log.
type EventQuery struct {
	// After keeps events at greater places.
	After uint64
	// Types keeps events of these types; empty keeps all.
	Types []payments.EventType
	// Limit is the most events to return.
	Limit int
}

// EventExtent is where a log begins and ends.
type EventExtent struct {
	// Pruned is the place of the last event that was forgotten, Last that of the last event; zero when there was none.
	Pruned, Last uint64
}
