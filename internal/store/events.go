package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
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

// DocumentID implements Document.
func (e *Event) DocumentID() string { return eventID(e.Seq) }

// eventID is the identifier of the event at a place. Identifiers sort as the places do.
func eventID(seq uint64) string {
	digits := strconv.FormatUint(seq, 10)
	return "00000000000000000000"[len(digits):] + digits
}

// Indexed implements Document.
func (e *Event) Indexed(column string) string {
	switch column {
	case columnSubject:
		return e.SubjectID
	case columnType:
		return string(e.Type)
	}
	return ""
}

// DueAt implements Document.
func (*Event) DueAt() time.Time { return time.Time{} }

// An EventLog holds the events of a world's instance in the order in which they were committed.
type EventLog struct{ table Table[Event] }

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

// Append adds an event at the end and returns its place, which is one more than that of the event before. The caller
// must not change the event afterwards. A transaction that fails uses no place.
func (l EventLog) Append(event *Event) (seq uint64, err error) {
	last, err := l.table.List(Query{Limit: 1})
	if err != nil {
		return 0, err
	}
	event.Seq = 1
	if len(last) > 0 {
		event.Seq = last[0].Seq + 1
	}
	return event.Seq, l.table.Put(event)
}

// After returns events in their order. Each type is a query of its own: the index has one value at a time.
func (l EventLog) After(q EventQuery) (found []*Event, err error) {
	query := Query{After: eventID(q.After), Ascending: true, Limit: q.Limit, Where: map[string]string{}}
	if q.Subject != "" {
		query.Where[columnSubject] = q.Subject
	}
	if len(q.Types) == 0 {
		return l.table.List(query)
	}
	for _, kind := range q.Types {
		query.Where[columnType] = string(kind)
		of, err := l.table.List(query)
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	slices.SortFunc(found, func(a, b *Event) int { return cmp.Compare(a.Seq, b.Seq) })
	found = slices.CompactFunc(found, func(a, b *Event) bool { return a.Seq == b.Seq }) // of a type that is there twice
	return found[:min(len(found), q.Limit)], nil
}

// Extent returns where the log begins and ends.
func (l EventLog) Extent() (EventExtent, error) {
	first, failedFirst := l.table.List(Query{Ascending: true, Limit: 1})
	last, failedLast := l.table.List(Query{Limit: 1})
	if err := errors.Join(failedFirst, failedLast); err != nil || len(first) == 0 || len(last) == 0 {
		return EventExtent{}, err
	}
	return EventExtent{Pruned: first[0].Seq - 1, Last: last[0].Seq}, nil
}

// Prune drops the events up to and including a place, but never the last one, which tells the next one's place.
func (l EventLog) Prune(through uint64) error {
	extent, err := l.Extent()
	if err != nil {
		return err
	}
	for seq := extent.Pruned + 1; seq <= through && seq < extent.Last; seq++ {
		if err := l.table.Delete(eventID(seq)); err != nil {
			return err
		}
	}
	return nil
}
