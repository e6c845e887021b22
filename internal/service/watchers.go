package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// watchers are those who wait for a change of a subject. While there are any, a pacer makes due things happen; without
// them they happen when somebody next looks.
type watchers struct {
	mu        sync.Mutex
	bySubject map[string]map[chan struct{}]struct{}
	poke      chan struct{} // tells the pacer to look again; nil when there is none
}

// wake tells those who wait for the subjects, and the pacer that there may be a new job.
func (ws *watchers) wake(subjects []string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, subject := range subjects {
		for ch := range ws.bySubject[subject] {
			signal(ch)
		}
	}
	signal(ws.poke)
}

// Repace tells the pacer that the clock runs otherwise than before, so that what is due next comes at another time.
func (s *Service) Repace() { s.watchers.wake(nil) }

// WakeAll tells everybody who waits, whatever for: the world is another one.
func (s *Service) WakeAll() {
	ws := &s.watchers
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, waiting := range ws.bySubject {
		for ch := range waiting {
			signal(ch)
		}
	}
	signal(ws.poke)
}

// signal sends unless nobody can receive: then the receiver has been told already, or there is none.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// watch returns a channel that receives when the subject changes. The caller calls stop when done.
func (s *Service) watch(subject string) (changed <-chan struct{}, stop func()) {
	ws := &s.watchers
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
	if ws.poke == nil {
		ws.poke = make(chan struct{}, 1)
		go s.pace(ws.poke)
	}
	return ch, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.bySubject[subject], ch)
		if len(ws.bySubject[subject]) == 0 {
			delete(ws.bySubject, subject)
		}
		signal(ws.poke)
	}
}

// paceAfterError is the least time between two attempts of the pacer to do what failed.
const paceAfterError = time.Second

// pace makes due things happen until nobody waits any more.
func (s *Service) pace(poke <-chan struct{}) {
	ctx := context.Background() // it ends with the last watcher
	timer := time.NewTimer(0)
	defer timer.Stop()
	var others elsewhere
	for !s.watchers.retire() {
		failed := s.view(ctx, func(w *work) error { return s.lookElsewhere(w, &others) }) // whoever reads next meets the error
		timer.Stop()
		if s.follow != nil {
			timer.Reset(lookEvery)
		}
		if next, err := s.nextJob(ctx); err == nil {
			if wait, ok := s.clock.Until(next.At); ok {
				if failed != nil {
					wait = max(wait, paceAfterError) // what is due stays due
				}
				if s.follow != nil {
					wait = min(wait, lookEvery)
				}
				timer.Reset(max(wait, 0))
			}
		}
		select {
		case <-timer.C:
		case <-poke:
		}
	}
}

func (s *Service) nextJob(ctx context.Context) (job store.Job, err error) {
	err = s.store.View(ctx, s.world, func(tx store.Tx) error {
		job, err = tx.NextJob()
		return err
	})
	return job, err
}

// retire says that nobody waits any more, and that the pacer ends with that.
func (ws *watchers) retire() bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.bySubject) > 0 {
		return false
	}
	ws.poke = nil
	return true
}

// hold calls read until it finds something else than the known state, or until wait is over. It holds in the machine's
// time, whatever the world's clock says.
func (s *Service) hold(ctx context.Context, subject string, wait time.Duration, read func() (unchanged bool, err error)) error {
	changed, stop := func() (<-chan struct{}, func()) {
		if wait <= 0 {
			return nil, func() {}
		}
		return s.watch(subject)
	}()
	defer stop()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		unchanged, err := read()
		if err != nil || !unchanged || wait <= 0 {
			return err
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrStopping) {
				return nil // the service stops: the present state is the answer
			}
			return ctx.Err()
		}
	}
}

// ErrStopping is the cause of a context that ends because the service stops.
var ErrStopping = errors.New("the service is stopping")
