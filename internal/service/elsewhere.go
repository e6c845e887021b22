package service

import (
	"time"

	"github.com/payctl/payctl/internal/store"
)

// lookEvery is how often it is looked, while anybody waits, whether another process has changed what is waited for.
const lookEvery = 250 * time.Millisecond

// lookAtMost is how many events are looked through at once.
const lookAtMost = 1000

// elsewhere is how far the log was looked through for what other processes did.
type elsewhere struct {
	began bool
	log   string
	seq   uint64
}

// lookElsewhere wakes those who wait for what another process has changed: the log tells of it. Where that is the clock,
// what is due by it happens at the next look.
func (s *Service) lookElsewhere(w *work, seen *elsewhere) error {
	if s.follow == nil {
		return nil
	}
	log, err := s.openLog(w)
	if err != nil {
		return err
	}
	before := *seen
	*seen = elsewhere{began: true, log: log.name, seq: log.Last}
	switch {
	case !before.began || before.log != log.name || before.seq < log.Pruned || log.Last-before.seq > lookAtMost:
		s.WakeAll()
		return nil
	case before.seq == log.Last:
		return nil
	}
	events, err := log.After(store.EventQuery{After: before.seq, Limit: lookAtMost})
	if err != nil {
		return err
	}
	changed := []string{feed}
	for _, event := range events {
		changed = append(changed, event.SubjectID)
	}
	s.watchers.wake(changed)
	return nil
}
