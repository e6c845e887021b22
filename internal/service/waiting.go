package service

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// waiters are the requests that wait for a change of a subject. While there are any, a scheduler runs the jobs that
// become due; without them the next request runs those.
type waiters struct {
	mu        sync.Mutex
	bySubject map[string]map[chan struct{}]struct{}
	scheduler chan struct{} // tells the scheduler that something changed; nil when none runs
}

// wake tells the requests that wait for one of the subjects that it changed. The caller holds the lock.
func (ws *waiters) wake(subjects []string) {
	for _, subject := range subjects {
		for ch := range ws.bySubject[subject] {
			signal(ch)
		}
	}
}

// wakeForUpdate wakes the requests that wait for what an update of this process changed, and the scheduler.
func (ws *waiters) wakeForUpdate(subjects []string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.wake(subjects)
	signal(ws.scheduler)
}

// ClockChanged tells the scheduler that the clock changed, so that the next job is due at another time of the machine.
func (s *Service) ClockChanged() {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	signal(s.waiters.scheduler)
}

// WakeAll wakes all requests that wait: the world has another instance, or another process has changed it.
func (s *Service) WakeAll() {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	s.waiters.wake(slices.Collect(maps.Keys(s.waiters.bySubject)))
	signal(s.waiters.scheduler)
}

// signal sends to a channel with room for one signal, unless one is there already. A nil channel gets none.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// subscribe returns a channel that receives when the subject changes. The caller calls stop when done.
func (s *Service) subscribe(subject string) (changed <-chan struct{}, stop func()) {
	ws := &s.waiters
	ch := make(chan struct{}, 1)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.bySubject == nil {
		ws.bySubject = map[string]map[chan struct{}]struct{}{}
	}
	if ws.bySubject[subject] == nil {
		ws.bySubject[subject] = map[chan struct{}]struct{}{}
	}
	ws.bySubject[subject][ch] = struct{}{}
	if ws.scheduler == nil {
		ws.scheduler = make(chan struct{}, 1)
		go s.schedule(ws.scheduler)
	}
	return ch, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.bySubject[subject], ch)
		if len(ws.bySubject[subject]) == 0 {
			delete(ws.bySubject, subject)
		}
		signal(ws.scheduler)
	}
}

// retryAfter is how long the scheduler waits after a failure: of jobs, which stay due, or of the store.
const retryAfter = time.Second

// schedule runs the jobs that become due, and wakes requests for what other processes change, until no request waits.
// Other processes may run the same jobs: whichever comes first finds them due, the others do not.
func (s *Service) schedule(changed <-chan struct{}) {
	ctx := context.Background() // the scheduler ends with the last waiter
	others, stop := s.store.Watch(s.world)
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !s.waiters.retireScheduler() {
		next, err := s.lookAround(ctx)
		timer.Stop()
		if err != nil {
			timer.Reset(retryAfter) // the next read returns the error
		} else if wait, ok := s.clock.Until(next); ok {
			timer.Reset(max(wait, 0))
		}
		select {
		case <-timer.C:
		case <-changed:
		case <-others:
			s.WakeAll() // the changes may be of any subject
		}
	}
}

// lookAround runs the jobs that are due, and returns when the next job is due: after LastTime if there is none.
func (s *Service) lookAround(ctx context.Context) (next time.Time, err error) {
	err = s.viewAfterJobs(ctx, false, func(w *work) error {
		job, err := w.NextDue()
		if errors.Is(err, store.ErrNotFound) {
			next = LastTime.Add(1)
			return nil
		}
		if err == nil {
			next = job.DueAt()
		}
		return err
	})
	return next, err
}

// retireScheduler reports whether no request waits, and so the scheduler ends.
func (ws *waiters) retireScheduler() bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.bySubject) > 0 {
		return false
	}
	ws.scheduler = nil
	return true
}

// waitForChange calls read until it returns that the subject has changed, or until wait is over in the machine's
// time, whatever the world's clock shows.
func (s *Service) waitForChange(
	ctx context.Context, subject string, wait time.Duration, read func() (unchanged bool, err error),
) error {
	if wait <= 0 {
		_, err := read()
		return err
	}
	changed, stop := s.subscribe(subject)
	defer stop()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	unchanged, err := read()
	for err == nil && unchanged {
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrStopping) {
				return nil // the response is the present state
			}
			return ctx.Err()
		}
		unchanged, err = read()
	}
	return err
}

// ErrStopping is the cause of a context that ends because the service stops.
var ErrStopping = errors.New("the service is stopping")
