package sql

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Each event is a row. Where the log begins and ends is in the world's head, which outlasts pruned events.
const (
	pruneEvents  = "DELETE FROM events WHERE world = $1 AND seq <= $2"
	selectEvents = "SELECT seq, type, subject, document FROM events WHERE world = $1 AND seq > $2"
)

var insertEvents = Insertion{Table: "events", Columns: []Column{
	{Name: "world"}, {Name: "seq", Integer: true}, {Name: "type"}, {Name: "subject"}, {Name: "document"},
}}

// An eventDocument is what an event's row keeps in JSON: all that has no column of its own. Rows of earlier versions
// have the rest too.
type eventDocument struct {
	At       time.Time
	From, To string `json:",omitzero"`
	Data     payments.EventData
}

// eventLog is a store.EventLog in a transaction.
type eventLog struct{ *tx }

// Events implements store.Tx.
func (t *tx) Events() store.EventLog { return eventLog{t} }

// Append implements store.EventLog.
func (l eventLog) Append(event *store.Event) (uint64, error) {
	if !l.writes() {
		return 0, errReadOnly
	}
	event.Seq = l.state.head.Last + 1
	document, err := encode(event)
	if err != nil {
		return 0, err
	}
	l.state.head.Last = event.Seq
	l.own.events = append(l.own.events, eventRow{event.Seq, event.Type, event.SubjectID, document})
	return event.Seq, l.flushIfFull()
}

// After implements store.EventLog.
func (l eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	query := selectEvents
	head := &l.state.head
	if !l.writes() && q.After >= head.Last { // as most reads of those who wait
		return []*store.Event{}, nil
	}
	args := []any{head.contents, position(max(q.After, head.Pruned))}
	var types []string
	for _, kind := range q.Types {
		args = append(args, string(kind))
		types = append(types, fmt.Sprintf("$%d", len(args)))
	}
	if len(types) > 0 {
		query += " AND type IN (" + strings.Join(types, ", ") + ")"
	}
	if q.Subject != "" {
		args = append(args, q.Subject)
		query += fmt.Sprintf(" AND subject = $%d", len(args))
	}
	args = append(args, int64(max(q.Limit, 0)))
	found := []*store.Event{}
	query = fmt.Sprintf("%s ORDER BY seq LIMIT $%d", query, len(args))
	err := l.query(query, args, func(scan func(...any) error) error {
		event, subject, document, seq, kind := &store.Event{}, new(string), []byte(nil), int64(0), ""
		if err := scan(&seq, &kind, &subject, &document); err != nil {
			return err
		}
		event.Seq, event.Type = uint64(seq), payments.EventType(kind)
		rest, err := decode[eventDocument](document)
		if err == nil {
			event.At, event.From, event.To, event.Data = rest.At, rest.From, rest.To, rest.Data
			found = append(found, event)
			if subject != nil {
				event.SubjectID = *subject
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Extent implements store.EventLog.
func (l eventLog) Extent() (store.EventExtent, error) {
	return l.state.head.EventExtent, nil
}

// Prune implements store.EventLog.
func (l eventLog) Prune(through uint64) error {
	if !l.writes() {
		return errReadOnly
	}
	if head := &l.state.head; through > head.Pruned {
		head.Pruned = min(through, head.Last)
		l.own.pruned = head.Pruned
	}
	return nil
}

// position is a place in the log as the database keeps it.
func position(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
