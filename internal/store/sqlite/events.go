package sqlite

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// The log of events: the events themselves, and with the world's counters where its log begins and ends, which outlasts
// what is forgotten.
const (
	eventsTable   = "events"
	countersTable = "counters"
	readCounters  = "SELECT pruned, last, jobs FROM counters WHERE world = $1"
	writeCounters = "INSERT INTO counters (world, pruned, last, jobs) VALUES ($1, $2, $3, $4) " +
		"ON CONFLICT (world) DO UPDATE SET pruned = excluded.pruned, last = excluded.last, jobs = excluded.jobs"
	forget      = "DELETE FROM events WHERE world = $1 AND seq <= $2"
	selectAfter = "SELECT document FROM events WHERE world = $1 AND seq > $2"
)

var insertEvents = newInsertion(eventsTable, []string{"world", "seq", "type", "document"}, "")

// written is an event as its document has it.
type written struct {
	*store.Event
	Data payments.EventData
}

// counters are what a world counts: its events, and its jobs. They outlast what they count.
type counters struct {
	store.EventExtent
	jobs   int64 // the number of the last job that was added
	forget bool  // the table may have events that are forgotten
}

// eventLog is a store.EventLog in a transaction.
type eventLog struct{ tx *tx }

// Events implements store.Tx.
func (t *tx) Events() store.EventLog { return eventLog{t} }

// counters are the world's counters.
func (t *tx) counters() (c counters, err error) {
	if t.writes {
		if h := t.own.worlds[t.world]; h != nil && h.counters != nil {
			return *h.counters, nil
		}
		if known := t.cache.world(t.world).counters; known != nil {
			return *known, nil
		}
	}
	err = t.connection.row(t.ctx, readCounters, []any{t.world}, &c.Pruned, &c.Last, &c.jobs)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return counters{}, t.fail(err)
	}
	if t.writes {
		t.cache.world(t.world).counters = &counters{EventExtent: c.EventExtent, jobs: c.jobs}
	}
	return c, nil
}

// moved keeps new counters.
func (t *tx) moved(c counters) *happenings {
	h := t.own.of(t.world)
	h.counters = &c
	return h
}

// Append implements store.EventLog.
func (l eventLog) Append(event *store.Event) (uint64, error) {
	if !l.tx.writes {
		return 0, errReadOnly
	}
	now, err := l.tx.counters()
	if err != nil {
		return 0, err
	}
	event.Seq = now.Last + 1
	document, err := json.Marshal(written{event, event.Of.EventData()}, l.tx.kinds.form)
	if err != nil {
		return 0, err
	}
	now.Last = event.Seq
	h := l.tx.moved(now)
	h.events = append(h.events, logged{position(event.Seq), string(event.Type), string(document)})
	return event.Seq, l.tx.relieve()
}

// After implements store.EventLog.
func (l eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	if err := l.tx.settle(); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(selectAfter)
	args := []any{l.tx.world, position(q.After)}
	for i, kind := range q.Types {
		args = append(args, string(kind))
		fmt.Fprintf(&b, "%s$%d", map[bool]string{true: " AND type IN (", false: ", "}[i == 0], len(args))
	}
	if len(q.Types) > 0 {
		b.WriteString(")")
	}
	args = append(args, max(q.Limit, 0))
	fmt.Fprintf(&b, " ORDER BY seq LIMIT $%d", len(args))
	found := []*store.Event{}
	err := l.tx.connection.rows(l.tx.lists, b.String(), args, func(scan func(...any) error) error {
		var document []byte
		if err := scan(&document); err != nil {
			return err
		}
		read := written{Event: new(store.Event)}
		err := json.Unmarshal(document, &read, l.tx.kinds.form)
		read.Of = store.Told(read.Data)
		found = append(found, read.Event)
		return err
	})
	if err != nil {
		return nil, l.tx.fail(err)
	}
	return found, nil
}

// Extent implements store.EventLog.
func (l eventLog) Extent() (store.EventExtent, error) {
	now, err := l.tx.counters()
	return now.EventExtent, err
}

// Prune implements store.EventLog.
func (l eventLog) Prune(through uint64) error {
	if !l.tx.writes {
		return errReadOnly
	}
	now, err := l.tx.counters()
	if err != nil {
		return err
	}
	if through = min(through, now.Last); through > now.Pruned {
		now.Pruned, now.forget = through, true
		l.tx.moved(now)
	}
	return nil
}

// position is a place in the log as the database keeps it.
func position(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
