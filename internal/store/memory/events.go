package memory

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// eventLog holds the events from the one after pruned on. An Update that fails brings back a copy of it: writes change
// no event that was there.
type eventLog struct {
	world  *world
	pruned uint64
	events []*store.Event
}

// kept is how many of the events up to a place the log holds.
func (l *eventLog) kept(through uint64) uint64 {
	return min(max(through, l.pruned)-l.pruned, uint64(len(l.events)))
}

// Append implements store.EventLog.
func (l *eventLog) Append(event *store.Event) (uint64, error) {
	if !l.world.writing {
		return 0, errReadOnly
	}
	l.events = append(l.events, event)
	event.Seq = l.pruned + uint64(len(l.events))
	return event.Seq, nil
}

// After implements store.EventLog.
func (l *eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	found := []*store.Event{}
	for _, event := range l.events[l.kept(q.After):] {
		if len(found) == q.Limit {
			break
		}
		if (len(q.Types) == 0 || slices.Contains(q.Types, event.Type)) && (q.Subject == "" || event.SubjectID == q.Subject) {
			found = append(found, event)
		}
	}
	return found, nil
}

// Extent implements store.EventLog.
func (l *eventLog) Extent() (store.EventExtent, error) {
	return store.EventExtent{Pruned: l.pruned, Last: l.pruned + uint64(len(l.events))}, nil
}

// Prune implements store.EventLog. The memory of pruned events is free when the log next grows.
func (l *eventLog) Prune(through uint64) error {
	if !l.world.writing {
		return errReadOnly
	}
	pruned := l.kept(through)
	l.pruned += pruned
	l.events = l.events[pruned:]
	return nil
}
