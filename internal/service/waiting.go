package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// waiters are the requests that wait for a change of the world. While any wait, a scheduler runs due jobs. Otherwise
// the next request runs them.
type waiters struct {
	mu      sync.Mutex
	count   int
	end     context.CancelFunc // ends the scheduler
	changed chan struct{}      // closed by the next change; nil means nobody waits
}

// Wake wakes all waiting requests and the scheduler, after a change of the world or its clock.
func (s *Service) Wake() {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	if s.waiters.changed != nil {
		close(s.waiters.changed)
		s.waiters.changed = nil
	}
}

// nextChange returns a channel that the next change closes.
func (s *Service) nextChange() <-chan struct{} {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	if s.waiters.changed == nil {
		s.waiters.changed = make(chan struct{})
	}
	return s.waiters.changed
}

// beginToWait counts a request that waits. The caller calls stop when done.
func (s *Service) beginToWait() (stop func()) {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	if s.waiters.count++; s.waiters.count == 1 {
		ctx, end := context.WithCancel(context.Background())
		s.waiters.end = end
		go s.schedule(ctx)
	}
	return func() {
		s.waiters.mu.Lock()
		defer s.waiters.mu.Unlock()
		if s.waiters.count--; s.waiters.count == 0 {
			s.waiters.end()
		}
	}
}

// retryAfter is how long the scheduler waits after a failure of the store or of jobs. Failed jobs stay due.
const retryAfter = time.Second

// schedule runs due jobs, and wakes requests after changes by other processes, until the context ends. Other processes
// may run the same jobs: only the first finds them due.
func (s *Service) schedule(ctx context.Context) {
	others, stop := s.store.Watch(s.world)
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		changed := s.nextChange()
		next, err := s.runJobsUntilNext()
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
			s.Wake()
		case <-ctx.Done():
			return
		}
	}
}

// runJobsUntilNext runs the due jobs, and returns when the next job is due. It is after LastTime without a job.
func (s *Service) runJobsUntilNext() (next time.Time, err error) {
	err = s.viewAfterJobs(context.Background(), false, func(w *work) error {
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

// waitForChange calls read until it reports a change, or until wait is over by the machine's clock.
func (s *Service) waitForChange(
	ctx context.Context, wait time.Duration, read func() (unchanged bool, err error),
) error {
	if wait <= 0 {
		_, err := read()
		return err
	}
	defer s.beginToWait()()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		changed := s.nextChange()
		if unchanged, err := read(); err != nil || !unchanged {
			return err
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrStopping) {
				return nil // the response is the current state
			}
			return ctx.Err()
		}
	}
}

// ErrStopping is the cause of a context that ends because the service stops.
var ErrStopping = errors.New("the service is stopping")
