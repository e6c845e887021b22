package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// The log of events: rows of events, and with the world's counters where its log begins and ends, which outlasts what is
// forgotten.
const (
	eventsTable   = "events"
	countersTable = "counters"
	readCounters  = "SELECT pruned, last, jobs FROM counters WHERE world = $1"
	writeCounters = "INSERT INTO counters (world, pruned, last, jobs) VALUES ($1, $2, $3, $4) " +
		"ON CONFLICT (world) DO UPDATE SET pruned = excluded.pruned, last = excluded.last, jobs = excluded.jobs"
	forget      = "DELETE FROM events WHERE world = $1 AND last <= $2"
	selectAfter = "SELECT first, document FROM events WHERE world = $1 AND last > $2"
)

var insertEvents = sync.OnceValue(func() insertion {
	return newInsertion(eventsTable, []string{"world", "last", "first", "types", "document"}, "")
})

// eventsInARow is how many events a row has at most. Whoever reads one reads those before it in its row.
const eventsInARow = 32

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
	} else if t.counted != nil {
		return *t.counted, nil
	}
	err = t.connection.row(t.ctx, readCounters, []any{t.world}, &c.Pruned, &c.Last, &c.jobs)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return counters{}, t.fail(err)
	}
	read := c
	if t.writes {
		t.cache.world(t.world).counters = &read
	} else {
		t.counted = &read
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
	now.Last = event.Seq
	h := l.tx.moved(now)
	h.events = append(h.events, newLogged(event))
	return event.Seq, l.tx.relieve()
}

// After implements store.EventLog.
func (l eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	if err := l.tx.settle(); err != nil {
		return nil, err
	}
	now, err := l.tx.counters()
	if err != nil {
		return nil, err
	}
	after := max(position(q.After), position(now.Pruned)) // the row of the last one that is forgotten may have others
	query, args := eventsAfter(l.tx.world, after, q.Types)
	found := []*store.Event{}
	err = l.tx.connection.rows(l.tx.lists, query, args, func(scan func(...any) error) error {
		if len(found) >= q.Limit {
			return errEnough
		}
		var first int64
		var document []byte
		if err := scan(&first, &document); err != nil {
			return err
		}
		return readEvents(document, l.tx.kinds.form, int(max(after+1-first, 0)), func(event *store.Event) bool {
			if len(q.Types) == 0 || slices.Contains(q.Types, event.Type) {
				found = append(found, event)
			}
			return len(found) < q.Limit
		})
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, l.tx.fail(err)
	}
	return found, nil
}

// rowOfEvents appends the values of a row but its world.
func rowOfEvents(args []any, events []*logged) []any {
	var document, types strings.Builder
	before := byte('[')
	types.WriteByte(' ')
	for _, e := range events {
		document.WriteByte(before)
		document.WriteString(e.document.text())
		before = ','
		if kind := " " + string(e.Type) + " "; !strings.Contains(types.String(), kind) {
			types.WriteString(kind[1:])
		}
	}
	document.WriteByte(']')
	return append(args, position(events[len(events)-1].Seq), position(events[0].Seq), types.String(), document.String())
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough")

// eventsAfter selects the rows that have events behind a place, of certain types where there are any.
func eventsAfter(world string, after int64, types []payments.EventType) (query string, args []any) {
	var b strings.Builder
	b.WriteString(selectAfter)
	args = []any{world, after}
	for i, kind := range types {
		args = append(args, "% "+string(kind)+" %")
		fmt.Fprintf(&b, "%stypes LIKE $%d", map[bool]string{true: " AND (", false: " OR "}[i == 0], len(args))
	}
	if len(types) > 0 {
		b.WriteString(")")
	}
	b.WriteString(" ORDER BY last")
	return b.String(), args
}

// readEvents reads the events of a row but the first few, as long as each wants more.
func readEvents(document []byte, form json.Options, skip int, each func(*store.Event) bool) error {
	from := jsontext.NewDecoder(bytes.NewBuffer(document), form)
	if _, err := from.ReadToken(); err != nil {
		return err
	}
	for ; from.PeekKind() != ']'; skip-- {
		if skip > 0 {
			if err := from.SkipValue(); err != nil {
				return err
			}
			continue
		}
		read := written{Event: new(store.Event)}
		if err := json.UnmarshalDecode(from, &read, form); err != nil {
			return err
		}
		read.Of = store.Told(read.Data)
		if !each(read.Event) {
			return nil
		}
	}
	return nil
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
