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
//	no query if a stamp is the same (head.go): view        3        none
//	job window (jobwindow.go)                              1.2      1.3
//	encoders without reflection (encode.go)                1.1      1.1
//	references in write buffers                            1.3      2.8
//	waiting for the callers of the group before (queue.go) 1.15     1.1
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

// errClosed is the cause of an update after Close.
var errClosed = errors.New("the store is closed")

// New returns a store in a database, which Close closes.
func New(db Database) *Store {
	s := &Store{
		db: db, dialect: db.Dialect(), schemas: newSchemas(), worlds: map[string]*world{},
		maxGroupTime: defaultGroupTime, maxWait: groupTimeout, maxCached: maxTotalBytes,
	}
	s.selectVersions = fmt.Sprintf(selectVersions+s.dialect.Rows, commitIDLength, "$1")
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

// hasRoom counts at most as many worlds as there may be.
const hasRoom = "SELECT CASE WHEN EXISTS (SELECT 1 FROM worlds WHERE world = $1) " +
	"OR (SELECT count(*) FROM (SELECT 1 FROM worlds LIMIT $2) AS counted) < $2 THEN 1 ELSE 0 END"

// HasRoom implements store.Store.
func (s *Store) HasRoom(ctx context.Context, world string, most int) (bool, error) {
	if !s.enter() {
		return false, store.Unavailable(errClosed)
	}
	defer s.inFlight.Done()
	waiting, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	var room int64
	err := s.db.Query(waiting, hasRoom, []any{world, int64(most)}, func(scan func(...any) error) error {
		return scan(&room)
	})
	if err != nil {
		return false, unavailable(ctx, err)
	}
	return room == 1, nil
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
