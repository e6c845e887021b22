package sql

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// viewTimeout bounds how long a view waits for the database, whatever the caller's deadline is.
const viewTimeout = 10 * time.Second

// View implements store.Store. It asks for the version of the world, and answers from the cache if that is not older.
// What the cache does not have is read in a transaction, which begins then.
func (s *Store) View(ctx context.Context, name string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.enter() {
		return store.Unavailable(errClosed)
	}
	defer s.inFlight.Done()
	defer s.trim()
	w := s.world(name)
	known, began := w.cachedHead(), time.Now()
	current, err := s.heads.current(ctx, name)
	if err != nil {
		return unavailable(ctx, err)
	}
	if !current.sent.Before(began) && current.wentBack(known.revision()) {
		w.forget()
	}
	for {
		t := &tx{store: s, caller: ctx, cancel: func() {}}
		again, err := t.view(w, current.version, fn)
		if !again {
			return err
		}
		current.version = math.MaxInt64 // the next time it reads all in a transaction, so that it does not have to run again
	}
}

// errRestart is what a view panics with that has read from the cache, and finds another version in the database. No fn
// sees it.
var errRestart = errors.New("sql: the world has changed since the view began")

// view runs fn on what was committed of a world at a version, or later. It reports whether fn has to run again, since
// the world changed between its reads.
func (t *tx) view(w *world, version int64, fn func(store.Tx) error) (again bool, err error) {
	t.state = &state{}
	defer func() {
		t.endView()
		if p := recover(); p == any(errRestart) {
			again = true
		} else if p != nil {
			panic(p)
		}
	}()
	w.mu.RLock()
	if committing := w.committing; w.cache.head.version < version && committing != nil {
		w.mu.RUnlock()
		select {
		case <-committing: // that version is the one that this process is committing
		case <-t.caller.Done():
			return false, t.caller.Err()
		}
		w.mu.RLock()
	}
	t.state = newState(w, w.cache.head)
	t.state.locked, t.state.jobs = true, w.cache.jobs
	if t.state.base.version < version {
		t.state.base = unknownHead
		if err := t.beginView(); err != nil {
			return false, err
		}
	}
	return false, fn(t)
}

// beginView begins the transaction of a view, which may have read from the cache.
func (t *tx) beginView() (err error) {
	before, w := t.state.base, t.state.world
	t.state.locked = false
	w.mu.RUnlock()
	ctx, cancel := context.WithTimeout(t.caller, viewTimeout)
	t.cancel = cancel
	if t.conn, err = t.store.db.BeginRead(ctx); err != nil {
		return unavailable(t.caller, err)
	}
	var seen head
	queueHead(t.conn, w.name, "", &seen)
	if err := t.conn.Send(); err != nil {
		return unavailable(t.caller, err)
	}
	*t.state = *newState(w, seen)
	if before != unknownHead && before != seen {
		panic(errRestart)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cache.head.version < seen.version && w.committing == nil {
		w.cache.reset(seen)
	}
	t.state.jobs = newJobWindow()
	if w.cache.head == seen {
		t.state.jobs = w.cache.jobs.copy()
	}
	return nil
}

// endView releases what a view holds.
func (t *tx) endView() {
	if t.state.locked {
		t.state.world.mu.RUnlock()
	}
	if t.conn != nil {
		t.conn.Rollback()
	}
	t.cancel()
}
