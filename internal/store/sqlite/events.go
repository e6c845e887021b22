package sqlite

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/store"
)

// The log of events: the events themselves, and for each world where its log begins and ends, which outlasts what is
// forgotten.
const (
	eventsTable = "events"
	extentTable = "event_extents"
	countEvent  = "INSERT INTO event_extents (world, pruned, last) VALUES ($1, 0, 1) " +
		"ON CONFLICT (world) DO UPDATE SET last = event_extents.last + 1"
	extent      = "SELECT pruned, last FROM event_extents WHERE world = $1"
	addEvent    = "INSERT INTO events (world, seq, type, document) VALUES ($1, $2, $3, $4)"
	forget      = "DELETE FROM events WHERE world = $1 AND seq <= $2"
	movePruned  = "UPDATE event_extents SET pruned = $2 WHERE world = $1"
	selectAfter = "SELECT document FROM events WHERE world = $1 AND seq > $2"
)

// eventLog is a store.EventLog in a transaction.
type eventLog struct{ tx *tx }

// Events implements store.Tx.
func (t *tx) Events() store.EventLog { return eventLog{t} }

// Append implements store.EventLog.
func (l eventLog) Append(event *store.Event) (uint64, error) {
	if _, err := l.tx.change(nowhere, countEvent, l.tx.world); err != nil {
		return 0, err
	}
	now, err := l.Extent()
	if err != nil {
		return 0, err
	}
	event.Seq = now.Last
	document, err := json.Marshal(event, l.tx.kinds.form)
	if err != nil {
		return 0, err
	}
	_, err = l.tx.change(nowhere, addEvent, l.tx.world, position(event.Seq), string(event.Type), string(document))
	return event.Seq, err
}

// After implements store.EventLog.
func (l eventLog) After(q store.EventQuery) ([]*store.Event, error) {
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
		event := new(store.Event)
		found = append(found, event)
		return json.Unmarshal(document, event, l.tx.kinds.form)
	})
	if err != nil {
		return nil, l.tx.fail(err)
	}
	return found, nil
}

// Extent implements store.EventLog.
func (l eventLog) Extent() (e store.EventExtent, err error) {
	err = l.tx.connection.row(l.tx.ctx, extent, []any{l.tx.world}, &e.Pruned, &e.Last)
	if errors.Is(err, store.ErrNotFound) {
		return store.EventExtent{}, nil
	}
	return e, l.tx.fail(err)
}

// Prune implements store.EventLog.
func (l eventLog) Prune(through uint64) error {
	now, err := l.Extent()
	if err != nil {
		return err
	}
	through = min(max(through, now.Pruned), now.Last)
	if _, err := l.tx.change(nowhere, forget, l.tx.world, position(through)); err != nil {
		return err
	}
	_, err = l.tx.change(nowhere, movePruned, l.tx.world, position(through))
	return err
}

// position is a place in the log as the database keeps it.
func position(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
