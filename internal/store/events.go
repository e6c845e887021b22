package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// An Event is a change in a world.
type Event struct {
	// Seq is the event's position in the log, from 1 without gaps. Append assigns it.
	Seq       uint64
	Type      payments.EventType
	At        time.Time
	SubjectID string
	From, To  string // the subject's states, if it has any
	// Data is the payload at the time of the event.
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

// An EventLog holds the events of a world's instance in the order of their commits.
type EventLog struct{ table Table[Event] }

// An EventQuery selects events of a log.
type EventQuery struct {
	// After selects events after this position.
	After uint64
	// Types selects events of these types, or all events if it is empty.
	Types []payments.EventType
	// Subject selects events about the record with this identifier, or all events if it is empty.
	Subject string
	// Limit is the most events to return.
	Limit int
}

// EventExtent is where a log begins and ends.
type EventExtent struct {
	// Pruned is the position of the last dropped event, Last that of the last event. Zero means there is none.
	Pruned, Last uint64
}

// Append adds an event at the end and returns its position, one after the event before. The caller must not change the
// event afterwards. A transaction that fails uses no position.
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

// After returns events in order. It runs one query for each type, since an index lookup takes one value.
func (l EventLog) After(q EventQuery) (found []*Event, err error) {
	query := Query{After: eventID(q.After), Ascending: true, Limit: q.Limit, Where: map[string]string{}}
	if q.Subject != "" {
		query.Where[columnSubject] = q.Subject
	}
	if len(q.Types) == 0 {
		return l.table.List(query)
	}
	for _, eventType := range q.Types {
		query.Where[columnType] = string(eventType)
		events, err := l.table.List(query)
		if err != nil {
			return nil, err
		}
		found = append(found, events...)
	}
	slices.SortFunc(found, func(a, b *Event) int { return cmp.Compare(a.Seq, b.Seq) })
	found = slices.CompactFunc(found, func(a, b *Event) bool { return a.Seq == b.Seq }) // for a type given twice
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

// Prune drops the events up to and including a position. It keeps the last event, which gives the next position.
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
