package service

import (
	"time"

	"github.com/payctl/payctl/internal/store"
)

// pollInterval is how often the scheduler looks for changes by other processes: a request that waits learns of them
// within a quarter of a second, and a poll costs one read of the log's extent.
const pollInterval = 250 * time.Millisecond

// maxPolledEvents is how many new events a poll reads. After more it wakes every request that waits.
const maxPolledEvents = 1000

// externalChanges is the place in the event log up to which changes by other processes are known.
type externalChanges struct {
	known    bool
	instance string
	seq      uint64
}

// pollExternalChanges wakes the requests that wait for what another process changed since the last poll, by the
// events in the log.
func (s *Service) pollExternalChanges(w *work, last *externalChanges) error {
	if s.loadRecord == nil {
		return nil
	}
	log, err := s.openLog(w)
	if err != nil {
		return err
	}
	before := *last
	*last = externalChanges{known: true, instance: log.instance, seq: log.Last}
	switch {
	case !before.known || before.instance != log.instance,
		before.seq < log.Pruned || log.Last-before.seq > maxPolledEvents:
		s.WakeAll()
		return nil
	case before.seq == log.Last:
		return nil
	}
	events, err := log.After(store.EventQuery{After: before.seq, Limit: maxPolledEvents})
	if err != nil {
		return err
	}
	changed := []string{anyEvent}
	for _, event := range events {
		changed = append(changed, event.SubjectID)
	}
	s.waiters.wake(changed)
	return nil
}
