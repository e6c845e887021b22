// Package sql keeps worlds in an SQL database that many processes may use at the same time.
//
// Each mechanism that makes it fast is here because of a measurement: how many times the processor time of an
// operation grows (that of this process and of PostgreSQL together) when the mechanism is switched off. The operations
// are those of BenchmarkCreate and BenchmarkView with 32 callers in one world. The figures vary by 5 to 10 %.
//
//	go test ./internal/store/sql -run '^$' -bench 'Create|View' -benchtime 2000x
//
//	mechanism                                            SQLite   PostgreSQL
//	group commit (group.go)                                3.2      4.5
//	write buffer, rather than each write at once           1.4      3.9
//	cache by version: create                               1.3      1.5
//	cache by version: view                                 1.9      6.1
//	one query of versions for all callers: view            1.0      5.0
//	job window (jobwindow.go)                              1.2      1.3
//	references in write buffers                            1.3      2.8
//	insertion of many rows by one statement                1.0      1.7
//	prefetch, with references in the cache                 none     1.2
//
// The prefetch saves waiting rather than work: a group of 16 creates sends 1 pipeline before its commit, and without
// the prefetch 33, while the world is locked. Each takes a round trip.
package sql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// Store is a store.Store in a Database.
type Store struct {
	db             Database
	dialect        Dialect
	schemas        *schemas
	selectVersions string
	heads          headReader
	watches        watches
	sweeper        *sweeper
	observer       atomic.Pointer[store.Observer]
	shared         *updateQueue // of all worlds, if the database has one writer
	inFlight       sync.WaitGroup

	maxGroupTime time.Duration // see defaultGroupTime
	maxWait      time.Duration // see groupTimeout
	maxCached    int64         // see maxTotalBytes
	cached       atomic.Int64  // bytes of the records in all caches

	mu     sync.Mutex
	worlds map[string]*world
	closed bool
}

var _ store.Store = (*Store)(nil)

// A world is what the process knows of a world.
type world struct {
	name  string
	queue *updateQueue

	mu         sync.RWMutex
	cache      cache
	contended  time.Time     // when another process was last found to have changed the world
	committing chan struct{} // is closed when the cache has what is being committed; nil: nothing is
}

// errClosed is the cause of an update after Close.
var errClosed = errors.New("the store is closed")

// New returns a store in a database, which Close closes.
func New(db Database) *Store {
	s := &Store{
		db: db, dialect: db.Dialect(), schemas: newSchemas(), worlds: map[string]*world{},
		maxGroupTime: defaultGroupTime, maxWait: groupTimeout, maxCached: maxTotalBytes,
	}
	s.selectVersions = fmt.Sprintf("SELECT wanted.value, COALESCE((SELECT version FROM heads WHERE world = wanted.value), 0), "+
		"COALESCE((SELECT substr(recent, 1, %d) FROM heads WHERE world = wanted.value), '') FROM "+s.dialect.Rows,
		commitIDLength, "$1")
	if s.dialect.OneWriter {
		s.shared = newQueue(s)
	}
	s.heads = headReader{store: s, latest: map[string]readVersion{}, asked: map[string]bool{}}
	s.watches.store = s
	s.sweeper = newSweeper(s)
	s.sweeper.wake() // a process that died may have left something
	return s
}

// world returns what is known of a world. The process remembers every world that it has used: the service limits how
// many clients have one.
func (s *Store) world(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worlds[name]
	if w == nil {
		w = &world{name: name, queue: s.shared, cache: newCache(unknownHead, &s.cached)}
		if w.queue == nil {
			w.queue = newQueue(s)
		}
		s.worlds[name] = w
	}
	return w
}

// Update implements store.Store. It returns when what fn wrote is committed.
func (s *Store) Update(ctx context.Context, world string, fn func(store.Tx) error, needs ...store.Need) error {
	return s.update(ctx, world, needs, func(t *tx) error { return fn(t) })
}

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

// forget drops the cache.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cache.reset(unknownHead)
}

// enter reports whether a transaction may begin, for which Close then waits until inFlight.Done.
func (s *Store) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.inFlight.Add(1)
	}
	return !s.closed
}

// Close waits for the updates that were handed in, and closes the database. It may be called more than once.
func (s *Store) Close() error {
	s.sweeper.close()
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.inFlight.Wait()
	if again {
		return nil
	}
	s.watches.close()
	return s.db.Close()
}

// unavailable is the store's error for a failure of the database, unless the caller's context ended.
func unavailable(caller context.Context, err error) error {
	if caller.Err() != nil && (errors.Is(err, caller.Err()) || errors.Is(err, context.Cause(caller))) {
		return err
	}
	if errors.Is(err, store.ErrUnavailable) {
		return err
	}
	return store.Unavailable(err)
}
