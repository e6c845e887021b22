package memory

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// eventLog holds the events from the one after pruned on. An Update that fails rolls back to a copy of it: writes
// change no event that was there.
type eventLog struct {
	world  *world
	pruned uint64
	events []loggedEvent
	// latest has the place of the latest event about each subject. The copies of a log share it.
	latest map[string]uint64
}

// A loggedEvent also has the place of the event before it about the same subject, which may be pruned; zero if there
// was none.
type loggedEvent struct {
	*store.Event
	before uint64
}

func newEventLog(w *world) eventLog { return eventLog{world: w, latest: map[string]uint64{}} }

// kept is how many of the events up to a place the log holds.
func (l *eventLog) kept(through uint64) uint64 {
	return min(max(through, l.pruned)-l.pruned, uint64(len(l.events)))
}

// last is the place of the last event.
func (l *eventLog) last() uint64 { return l.pruned + uint64(len(l.events)) }

// Append implements store.EventLog.
func (l *eventLog) Append(event *store.Event) (uint64, error) {
	if !l.world.writing {
		return 0, errReadOnly
	}
	l.events = append(l.events, loggedEvent{event, l.latest[event.SubjectID]})
	event.Seq = l.last()
	l.latest[event.SubjectID] = event.Seq
	return event.Seq, nil
}

// After implements store.EventLog.
func (l *eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	events := l.events[l.kept(q.After):]
	if q.Subject != "" {
		events = l.about(q.Subject, max(q.After, l.pruned))
	}
	found := []*store.Event{}
	for _, event := range events {
		if len(found) == q.Limit {
			break
		}
		if len(q.Types) == 0 || slices.Contains(q.Types, event.Type) {
			found = append(found, event.Event)
		}
	}
	return found, nil
}

// about returns the events about a subject that are after a place, which is not before pruned.
func (l *eventLog) about(subject string, after uint64) (events []loggedEvent) {
	for place := l.latest[subject]; place > after; place = events[len(events)-1].before {
		events = append(events, l.events[place-l.pruned-1])
	}
	slices.Reverse(events)
	return events
}

// Extent implements store.EventLog.
func (l *eventLog) Extent() (store.EventExtent, error) {
	return store.EventExtent{Pruned: l.pruned, Last: l.last()}, nil
}

// Prune implements store.EventLog. The memory of pruned events is free when the log next grows.
func (l *eventLog) Prune(through uint64) error {
	if !l.world.writing {
		return errReadOnly
	}
	pruned := l.kept(through)
	for _, event := range l.events[:pruned] {
		if l.latest[event.SubjectID] == event.Seq {
			delete(l.latest, event.SubjectID)
		}
	}
	l.pruned += pruned
	l.events = l.events[pruned:]
	return nil
}

// rollBack brings back a copy that was made before the last writes.
func (l *eventLog) rollBack(to eventLog) {
	for _, event := range slices.Backward(l.events[l.kept(to.last()):]) {
		if to.pruned < event.before && event.before <= to.last() {
			l.latest[event.SubjectID] = event.before
		} else {
			delete(l.latest, event.SubjectID)
		}
	}
	for _, event := range to.events[:to.kept(l.pruned)] {
		l.latest[event.SubjectID] = max(l.latest[event.SubjectID], event.Seq)
	}
	*l = to
}
