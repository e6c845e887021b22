// Package sqlite keeps worlds in a folder, in a database of SQLite translated to Go. What an Update wrote is on the
// disk when it returns. Several processes may use one folder at the same time.
//
// A write travels like this. Table.Put encodes the record and puts it into the write buffer of its transaction
// (buffer.go). If the update succeeds, its buffer is merged into that of its batch: the updates that are committed
// together, because they waited for their turn at the same time (sqlitedb.Writer). Before the batch is committed its
// buffer is flushed: flush.go writes every record, job and event with one INSERT, UPDATE or DELETE, however often the
// batch changed it. Only then do the updates return. Reads within an update look into its own buffer, that of its
// batch, the cache and the tables, in this order; a query of several rows flushes both buffers first. Views read on
// connections of their own and wait for no update.
//
// The updates of one world wait in a queue of their own, and the worlds take turns. Replace writes the new contents of a
// world in parts, next to those that it has (contents.go). So a world that writes much delays the others by one update or
// part at a time.
//
// What was committed is at first only in SQLite's write-ahead log. checkpoint.go copies it into the database soon.
// SQLite drops what follows the first damaged frame of a log without a word, and all if the log is gone. So each commit
// counts itself in the database (progress.go) and, outside of it, in a state file (state.go). The first process to open
// a folder compares both and reads the log (wal.go) before SQLite does; loss.go decides whether anything is missing.
package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
	"github.com/payctl/payctl/internal/store"
)

// Bounds of a batch, since each of its updates waits for all of it.
const (
	maxUpdates  = 256
	maxBatchAge = 50 * time.Millisecond
)

// Store is a store.Store in a folder.
type Store struct {
	folder      *files
	schemas     *schemas
	writer      *sqlitedb.Writer
	batch       batch
	state       *stateFile
	processes   presence
	lock        lockWatch
	checkpoints *checkpointer
	sweeper     *sweeper
	readers     chan *sqlitedb.Conn // nil: not opened yet
	close       func() error
}

var _ store.Store = (*Store)(nil)

// A batch is what updates share that are committed together. The update whose turn it is uses it, or the writer.
type batch struct {
	buffer *writeBuffer
	cache  *cache
	conn   *sqlitedb.Conn // that the cache belongs to
	writes int            // in the buffer that was flushed last

	reached progress // before this batch, or after it once its writes are flushed
	changed int      // updates of the batch that wrote something
}

// Update implements store.Store. It returns when the disk has what fn wrote.
func (s *Store) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	return s.update(ctx, world, func(t *tx) error { return fn(t) })
}

func (s *Store) update(ctx context.Context, world string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var refused error
	err := s.writer.Do(ctx, world, func(conn *sqlitedb.Conn) error {
		t := &tx{ctx: context.Background(), schemas: s.schemas, conn: conn, world: world}
		t.batch, t.own = &s.batch, newWriteBuffer()
		keep := false
		defer func() { t.finish(keep) }() // also when fn panics
		if refused = t.loadContents(); refused == nil {
			refused = fn(t)
		}
		keep = refused == nil
		return nil
	})
	if err != nil {
		return unavailable(ctx, err)
	}
	return refused // after the commit, since it may rest on what another update of the batch wrote
}

// stuckAfter is how long another process may hold the lock of the database without a commit. Then it is taken to be
// stopped, or to wait for a disk that hangs, and updates fail rather than wait. A request is to wait for a second at
// most.
const stuckAfter = 800 * time.Millisecond

// A lockWatch tells whether the process that holds the lock of the database goes on.
type lockWatch struct {
	progress func() (progress, error)
	seen     progress  // when the lock was last asked for
	since    time.Time // when that was seen first; zero: the lock was free since
}

// isStuck is called when the lock is held. It reports whether nothing was committed for stuckAfter. While that lasts, it
// reports so at once, so that each request does not wait anew.
func (l *lockWatch) isStuck() bool {
	reached, err := l.progress()
	if err != nil {
		return false
	}
	if l.since.IsZero() || reached != l.seen {
		l.seen, l.since = reached, time.Now()
	}
	return time.Since(l.since) >= stuckAfter
}

// free notes that the lock was free.
func (l *lockWatch) free() { l.since = time.Time{} }

// begin forgets what the cache holds if another process has written since, or the connection is a new one.
func (s *Store) begin(conn *sqlitedb.Conn) error {
	s.lock.free()
	var version int64 // changes when another connection commits
	if err := conn.Row("PRAGMA data_version", nil, &version); err != nil {
		return err
	}
	b := &s.batch
	if b.conn != conn || b.cache.version != version {
		reached, err := loadProgress(conn)
		if err != nil {
			return err
		}
		b.conn, b.cache, b.reached = conn, newCache(version), reached
	}
	b.changed = 0
	b.cache.limit()
	b.buffer = newWriteBuffer()
	return nil
}

// flushCommitGroup writes what the batch has written into the tables, before they are committed.
func (s *Store) flushCommitGroup(conn *sqlitedb.Conn) error {
	b := &s.batch
	b.writes = b.buffer.size()
	if err := b.buffer.flush(conn, b.cache); err != nil || b.changed == 0 {
		return err
	}
	b.reached = b.reached.next(b.changed, time.Now())
	return conn.Exec(writeMarker, b.reached.marker())
}

// recordCommit records a commit before it is acknowledged. If that fails, the commit is on the disk all the same.
func (s *Store) recordCommit() {
	if s.batch.changed > 0 {
		_ = s.state.update(func(r *recorded) { r.committed = s.batch.reached })
	}
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var conn *sqlitedb.Conn
	select {
	case reader, ok := <-s.readers:
		if !ok {
			return store.Unavailable(sqlitedb.ErrClosed)
		}
		conn = reader
	case <-ctx.Done():
		return ctx.Err()
	}
	reusable := false
	defer func() {
		if !reusable && conn != nil { // it failed, or fn panicked within the transaction
			conn.Discard()
			conn = nil
		}
		s.readers <- conn
	}()
	if conn == nil {
		opened, err := sqlitedb.Connect(ctx, s.writer.DB)
		if err != nil {
			return unavailable(ctx, err)
		}
		conn = opened
	}
	if err := conn.Exec("BEGIN"); err != nil {
		return unavailable(ctx, err)
	}
	contents, err := contentsOf(conn, world)
	if err == nil {
		err = fn(&tx{ctx: ctx, schemas: s.schemas, conn: conn, world: world, contents: contents})
	} else {
		conn.Fail(err)
		err = unavailable(ctx, err)
	}
	if ended := conn.Exec("ROLLBACK"); ended != nil {
		return unavailable(ctx, ended)
	}
	reusable = conn.Failure() == nil
	return err
}

// Close waits for the updates under way and copies the log into the database. It may be called more than once.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeOnce() error {
	s.sweeper.close()
	conn, _ := s.writer.Close() // every update has returned its failure
	s.checkpoints.close()
	for range cap(s.readers) {
		if reader := <-s.readers; reader != nil {
			reader.Discard()
		}
	}
	close(s.readers)
	var err error
	if conn != nil {
		_ = conn.Exec("PRAGMA wal_checkpoint(TRUNCATE)") // if another process has the database open, it does this later
		err = conn.Close()
	}
	err = errors.Join(err, s.writer.DB.Close())
	return errors.Join(err, s.processes.leave(s.recordCleanStop), s.state.file.Close(), s.folder.Close())
}

// recordCleanStop records that the folder is whole without a log, if it is. No process uses the folder any more.
func (s *Store) recordCleanStop() error {
	info, err := s.folder.Lstat(fileName + logSuffix)
	switch {
	case err == nil && info.Size() > 0: // another program has the database open
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	r, known, err := s.state.read()
	if err != nil || !known {
		return err
	}
	r.clean, r.copied = true, r.committed
	return s.state.restart(r)
}

// unavailable is the store's error for a failure of the database, unless the context ended.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return err
	}
	return store.Unavailable(err)
}

// Watch implements store.Store.
func (s *Store) Watch(string) (changed <-chan struct{}, stop func()) {
	signals, done := make(chan struct{}, 1), make(chan struct{})
	ticker := time.NewTicker(100 * time.Millisecond)
	go func() {
		for {
			select {
			case <-ticker.C:
				signal(signals)
			case <-done:
				ticker.Stop()
				return
			}
		}
	}()
	return signals, sync.OnceFunc(func() { close(done) })
}
