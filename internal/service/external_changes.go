package service

import "github.com/payctl/payctl/internal/store"

// maxExternalEvents is how many new events are read after a change by another process. After more it wakes every
// request that waits.
const maxExternalEvents = 1000

// A logPlace is a place in the event log of an instance of the world. The zero value is in no instance.
type logPlace struct {
	instance string
	seq      uint64
}

// place returns the end of the event log as the transaction sees it.
func (w *work) place() (logPlace, error) {
	extent, err := w.Events().Extent()
	return logPlace{w.world.Instance, extent.Last}, err
}

// externalChanges are the events after a place in the log.
type externalChanges struct {
	subjects []string // of the events; anyEvent is one of them if there are any
	all      bool     // too many events to tell, or another instance
	end      logPlace
}

// externalChangesAfter returns what changed after a place in the log.
func (w *work) externalChangesAfter(known logPlace) (changes externalChanges, err error) {
	extent, err := w.Events().Extent()
	if err != nil {
		return changes, err
	}
	changes.end = logPlace{w.world.Instance, extent.Last}
	switch {
	case known.instance != changes.end.instance, known.seq < extent.Pruned, extent.Last > known.seq+maxExternalEvents:
		changes.all = true
		return changes, nil
	case extent.Last <= known.seq:
		return changes, nil
	}
	events, err := w.Events().After(store.EventQuery{After: known.seq, Limit: maxExternalEvents})
	changes.subjects = append(changes.subjects, anyEvent)
	for _, event := range events {
		changes.subjects = append(changes.subjects, event.SubjectID)
	}
	return changes, err
}
