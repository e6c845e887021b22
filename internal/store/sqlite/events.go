package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Each event is a row. Where the log begins and ends is among the world's counters, which outlast pruned events.
const (
	readCounters  = "SELECT pruned, last, jobs FROM counters WHERE world = $1"
	writeCounters = "INSERT INTO counters (world, pruned, last, jobs) VALUES ($1, $2, $3, $4) " +
		"ON CONFLICT (world) DO UPDATE SET pruned = excluded.pruned, last = excluded.last, jobs = excluded.jobs"
	pruneEvents  = "DELETE FROM events WHERE world = $1 AND seq <= $2"
	selectEvents = "SELECT seq, type, subject, document FROM events WHERE world = $1 AND seq > $2"
)

var insertEvents = newInsertion("events", "", "world", "seq", "type", "subject", "document")

// An eventDocument is what an event's row keeps in JSON: all that has no column of its own. Rows of earlier versions
// have the rest too.
type eventDocument struct {
	At       time.Time
	From, To string `json:",omitzero"`
	Data     payments.EventData
}

// counters are the numbers that a world has given to its events and jobs.
type counters struct {
	store.EventExtent
	jobs  int64 // the number of the last job that was added
	prune bool  // the table may hold events up to Pruned
}

// counters returns the world's counters.
func (t *tx) counters() (c counters, err error) {
	if t.writes() {
		if w := t.own.worlds[t.contents]; w != nil && w.counters != nil {
			return *w.counters, nil
		}
		if known := t.batch.cache.world(t.contents).counters; known != nil {
			return *known, nil
		}
	}
	err = t.conn.Row(readCounters, []any{t.contents}, &c.Pruned, &c.Last, &c.jobs)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return counters{}, t.fail(err)
	}
	if t.writes() {
		read := c
		t.batch.cache.world(t.contents).counters = &read
	}
	return c, nil
}

// setCounters writes the counters, and returns the update's writes to the world.
func (t *tx) setCounters(c counters) *worldWrites {
	w := t.own.world(t.contents)
	w.counters = &c
	return w
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
	counters, err := l.counters()
	if err != nil {
		return 0, err
	}
	counters.Last++
	event.Seq = counters.Last
	document, err := json.Marshal(eventDocument{event.At, event.From, event.To, event.Data}, encoding)
	if err != nil {
		return 0, err
	}
	w := l.setCounters(counters)
	w.events = append(w.events, eventRow{event.Seq, event.Type, event.SubjectID, string(document)})
	return event.Seq, l.flushIfFull()
}

// After implements store.EventLog.
func (l eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	counters, err := l.counters()
	if err != nil {
		return nil, err
	}
	query := selectEvents
	args := []any{l.contents, position(max(q.After, counters.Pruned))}
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
	args = append(args, max(q.Limit, 0))
	found := []*store.Event{}
	query = fmt.Sprintf("%s ORDER BY seq LIMIT $%d", query, len(args))
	err = l.query(query, args, func(scan func(...any) error) error {
		event, subject, document := &store.Event{}, sql.NullString{}, []byte(nil)
		if err := scan(&event.Seq, (*string)(&event.Type), &subject, &document); err != nil {
			return err
		}
		rest, err := decode[eventDocument](document)
		if err == nil {
			event.SubjectID, event.At, event.From, event.To, event.Data = subject.String, rest.At, rest.From, rest.To, rest.Data
			found = append(found, event)
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
	counters, err := l.counters()
	return counters.EventExtent, err
}

// Prune implements store.EventLog.
func (l eventLog) Prune(through uint64) error {
	if !l.writes() {
		return errReadOnly
	}
	counters, err := l.counters()
	if err != nil {
		return err
	}
	if through = min(through, counters.Last); through > counters.Pruned {
		counters.Pruned, counters.prune = through, true
		l.setCounters(counters)
	}
	return nil
}

// position is a place in the log as the database keeps it.
func position(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
