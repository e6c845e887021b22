package sql

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A head is the row of a world in the table heads. A transaction that writes to a world locks its head first, and
// counts its version up. So the version tells whether a cache is valid, and a transaction that has the lock sees all
// that was committed before.
type head struct {
	version  int64  // counts the commits that changed the world; unknown: -1
	contents string // the name of the world's contents, see Replace
	store.EventExtent
	jobs   int64  // the number of the last job that was added
	recent string // the ids of the latest commits, the last one first
}

// A revision tells what is committed of a world: how many commits, and the id of the last one. A database that was
// replaced by an earlier state of itself, such as a standby that lacks the last commits, counts other ones with the
// same versions.
type revision struct {
	version int64
	last    string
}

func (h *head) revision() revision {
	return revision{h.version, h.recent[:min(len(h.recent), commitIDLength)]}
}

// wentBack reports whether the database was replaced by an earlier state of itself since it had another revision.
func (r revision) wentBack(from revision) bool {
	return r.version < from.version || r.version == from.version && r.last != from.last
}

// unknownHead is that of a world which has not been read yet.
var unknownHead = head{version: -1}

const (
	addHead = "INSERT INTO heads (world, version, contents, pruned, last, jobs, recent) VALUES ($1, 0, $1, 0, 0, 0, '') " +
		"ON CONFLICT (world) DO NOTHING"
	selectHead = "SELECT version, contents, pruned, last, jobs, recent FROM heads WHERE world = $1"
	updateHead = "UPDATE heads SET version = $2, contents = $3, pruned = $4, last = $5, jobs = $6, recent = $7 " +
		"WHERE world = $1"
	// selectVersions reads the revisions of several worlds: its verb is for commitIDLength, and Dialect.Rows follows.
	selectVersions = "SELECT wanted.value, COALESCE((SELECT version FROM heads WHERE world = wanted.value), 0), " +
		"COALESCE((SELECT substr(recent, 1, %d) FROM heads WHERE world = wanted.value), '') FROM "
)

// queueLock queues the locking and reading of a world's head. If its version may be zero, the head may not exist yet.
func (s *Store) queueLock(conn Conn, world string, version int64, into *head) {
	if version <= 0 {
		conn.Queue(addHead, []any{world}, nil)
	}
	queueHead(conn, world, s.dialect.Lock, into)
}

// queueHead queues the reading of a world's head, with a lock or without.
func queueHead(conn Conn, world, lock string, into *head) {
	*into = head{contents: world} // if there is no row
	conn.Queue(selectHead+lock, []any{world}, func(scan func(...any) error) error {
		var pruned, last int64
		err := scan(&into.version, &into.contents, &pruned, &last, &into.jobs, &into.recent)
		into.Pruned, into.Last = uint64(pruned), uint64(last)
		return err
	})
}

// queueUpdate queues the writing of a head.
func (h *head) queueUpdate(conn Conn, world string) {
	conn.Queue(updateHead, []any{
		world, h.version, h.contents, position(h.Pruned), position(h.Last), h.jobs, h.recent,
	}, nil)
}

// keptCommits is how many ids of commits a head keeps. A process that looks for one of its commits is at most a
// reconnection later than the commit, in which time other processes make fewer.
const keptCommits = 64

// addCommit adds the id of a commit, and forgets the oldest.
func (h *head) addCommit(id string) {
	ids := append([]string{id}, strings.Fields(h.recent)...)
	h.recent = strings.Join(ids[:min(len(ids), keptCommits)], " ")
}

func (h *head) hasCommit(id string) bool { return slices.Contains(strings.Fields(h.recent), id) }

// A headReader reads the versions of worlds. While one query is under way, callers gather for the next, which reads the
// versions for all of them, and of the worlds that were asked for since the one before: a request reads in several
// worlds one after the other, and so it waits once.
type headReader struct {
	store *Store

	mu      sync.Mutex
	latest  map[string]readVersion
	asked   map[string]bool // since the last query began
	next    *headQuery      // gathers callers; nil: there are none
	running bool
}

// A readVersion is the version of a world that a query has read.
type readVersion struct {
	revision
	sent  time.Time // when the query began, or when the stamp was last found to be the same
	stamp uint64    // before the query, see StampedDatabase
}

// maxVersionAge bounds how old a version may be that is used again within a request, since some last for minutes.
const maxVersionAge = 100 * time.Millisecond

// A headQuery is one query of the versions of several worlds.
type headQuery struct {
	versions map[string]readVersion
	err      error
	done     chan struct{}
}

// current returns a version of a world that is not older than the request of the context, see payments.Start.
func (r *headReader) current(ctx context.Context, world string) (version readVersion, err error) {
	start := payments.Start(ctx)
	r.mu.Lock()
	r.asked[world] = true
	known := r.latest[world]
	r.mu.Unlock()
	if !known.sent.Before(start) && time.Since(known.sent) < maxVersionAge {
		return known, nil
	}
	sent, stamp := time.Now(), r.store.stamp()
	r.mu.Lock()
	if known = r.latest[world]; stamp != 0 && known.stamp == stamp {
		known.sent = sent
		r.latest[world] = known
		r.mu.Unlock()
		return known, nil
	}
	q := r.next
	if q == nil {
		q = &headQuery{done: make(chan struct{})}
		r.next = q
	}
	if !r.running {
		r.running = true
		r.store.inFlight.Go(r.run)
	}
	r.mu.Unlock()
	timer := time.NewTimer(viewTimeout)
	defer timer.Stop()
	select {
	case <-q.done:
		return q.versions[world], q.err
	case <-timer.C:
		return version, context.DeadlineExceeded
	case <-ctx.Done():
		return version, ctx.Err()
	}
}

// read takes over versions that a query has read.
func (r *headReader) read(versions map[string]readVersion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for world, version := range versions {
		if r.latest[world].sent.Before(version.sent) {
			r.latest[world] = version
		}
	}
}

// run makes queries as long as callers wait.
func (r *headReader) run() {
	for {
		r.mu.Lock()
		q := r.next
		r.next, r.running = nil, q != nil
		if q == nil {
			r.mu.Unlock()
			return
		}
		worlds := slices.Collect(maps.Keys(r.asked))
		clear(r.asked)
		r.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), viewTimeout)
		q.versions, q.err = r.store.versions(ctx, worlds)
		cancel()
		close(q.done)
	}
}

// versions reads the versions of worlds. One that does not exist has version 0.
func (s *Store) versions(ctx context.Context, worlds []string) (map[string]readVersion, error) {
	found, sent, stamp := make(map[string]readVersion, len(worlds)), time.Now(), s.stamp()
	err := s.db.Query(ctx, s.selectVersions, []any{s.dialect.List(worlds)}, func(scan func(...any) error) error {
		var world string
		version := readVersion{sent: sent, stamp: stamp}
		err := scan(&world, &version.version, &version.last)
		found[world] = version
		return err
	})
	if err == nil {
		s.heads.read(found)
	}
	return found, err
}

// stamp is the database's; zero: it has none.
func (s *Store) stamp() uint64 {
	if stamped, ok := s.db.(StampedDatabase); ok {
		return stamped.Stamp()
	}
	return 0
}

// watchInterval is how often the versions of all watched worlds are read. A request that waits at one process learns of
// a change by another one after half of it on average.
const watchInterval = 100 * time.Millisecond

// watches are the worlds whose changes by other processes are of interest. While there are any, a goroutine reads their
// versions.
type watches struct {
	store *Store

	mu      sync.Mutex
	byWorld map[string]*watchedWorld
	stop    context.CancelFunc // ends the goroutine; nil: there is none
	polled  time.Time          // when the versions were read last, or the goroutine began
	polling sync.WaitGroup
	closed  bool
}

type watchedWorld struct {
	revision // that was read last
	channels []chan struct{}
}

// Watch implements store.Store.
func (s *Store) Watch(world string) (changed <-chan struct{}, stop func()) {
	ws := &s.watches
	ch := make(chan struct{}, 1)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.byWorld == nil {
		ws.byWorld = map[string]*watchedWorld{}
	}
	watched := ws.byWorld[world]
	if watched == nil {
		watched = &watchedWorld{revision: unknownHead.revision()}
		ws.byWorld[world] = watched
	}
	watched.channels = append(watched.channels, ch)
	if ws.stop == nil && !ws.closed {
		ctx, cancel := context.WithCancel(context.Background())
		ws.stop, ws.polled = cancel, time.Now()
		ws.polling.Go(func() { ws.poll(ctx) })
	}
	return ch, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		watched.channels = slices.DeleteFunc(watched.channels, func(other chan struct{}) bool { return other == ch })
		if len(watched.channels) == 0 && ws.byWorld[world] == watched {
			delete(ws.byWorld, world)
		}
		if len(ws.byWorld) == 0 && ws.stop != nil {
			ws.stop()
			ws.stop = nil
		}
	}
}

// poll reads the versions of the watched worlds until the context ends. A failure is followed by the next attempt.
func (ws *watches) poll(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		ws.mu.Lock()
		worlds := make([]string, 0, len(ws.byWorld))
		for name := range ws.byWorld {
			worlds = append(worlds, name)
		}
		ws.mu.Unlock()
		reading, cancel := context.WithTimeout(ctx, viewTimeout)
		versions, err := ws.store.versions(reading, worlds)
		cancel()
		if err == nil {
			ws.signal(versions)
		}
	}
}

// signal reports worlds with another version than before.
func (ws *watches) signal(versions map[string]readVersion) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.polled = time.Now()
	for name, watched := range ws.byWorld {
		version, read := versions[name]
		if !read || version.revision == watched.revision {
			continue
		}
		watched.revision = version.revision
		for _, ch := range watched.channels {
			signal(ch)
		}
	}
}

// signal sends to a channel with room for one signal, unless one is there already.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// close ends the goroutine, for good.
func (ws *watches) close() {
	ws.mu.Lock()
	ws.closed = true
	if ws.stop != nil {
		ws.stop()
		ws.stop = nil
	}
	ws.mu.Unlock()
	ws.polling.Wait()
}
