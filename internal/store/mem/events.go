package mem

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// eventLog holds the events from the one after pruned on.
type eventLog struct {
	pruned uint64
	events []*store.Event
}

func (l *eventLog) last() uint64 { return l.pruned + uint64(len(l.events)) }

// eventView is the log as one transaction sees it.
type eventView struct {
	tx  *tx
	log *eventLog
}

func (v *eventView) Append(event *store.Event) (uint64, error) {
	if err := v.tx.write(change{by: appended{v.log}}); err != nil {
		return 0, err
	}
	event.Seq = v.log.last() + 1
	v.log.events = append(v.log.events, event)
	return event.Seq, nil
}

func (v *eventView) After(q store.EventQuery) ([]*store.Event, error) {
	found := []*store.Event{}
	start := min(max(q.After, v.log.pruned)-v.log.pruned, uint64(len(v.log.events)))
	for _, event := range v.log.events[start:] {
		if len(found) == q.Limit {
			break
		}
		if len(q.Types) == 0 || slices.Contains(q.Types, event.Type) {
			found = append(found, event)
		}
	}
	return found, nil
}

func (v *eventView) Extent() (store.EventExtent, error) {
	return store.EventExtent{Pruned: v.log.pruned, Last: v.log.last()}, nil
}

func (v *eventView) Prune(through uint64) error {
	forgotten := min(max(through, v.log.pruned)-v.log.pruned, uint64(len(v.log.events)))
	if err := v.tx.write(change{by: v, before: *v.log}); err != nil {
		return err
	}
	v.log.pruned += forgotten
	v.log.events = v.log.events[forgotten:] // what is forgotten goes when the log next grows, which copies only what is left
	return nil
}

// clear forgets everything, places included.
func (v *eventView) clear() error {
	if err := v.tx.write(change{by: v, before: *v.log}); err != nil {
		return err
	}
	*v.log = eventLog{}
	return nil
}

// undo implements undoer.
func (v *eventView) undo(c change) { *v.log = c.before.(eventLog) }

// appended takes an event back.
type appended struct{ *eventLog }

func (a appended) undo(change) { a.events = a.events[:len(a.events)-1] }
