package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// The log is copied into the database after so many writes, which make some 8 MiB of it, and at the latest so long
// after a write: what is only in the log is lost with it. Checkpoints that are more frequent cost throughput.
const (
	checkpointAfter = 8_000
	checkpointDelay = time.Second
)

// checkpoint copies the log into the database as far as no reader needs it, and waits for no lock.
const checkpoint = "PRAGMA wal_checkpoint(PASSIVE)"

// A checkpointer copies the log into the database. Most of it is copied on another connection while the writer goes
// on; the writer copies the rest, which was written meanwhile, and then the log begins anew.
type checkpointer struct {
	db    *sql.DB
	state *stateFile
	after int // rows

	written chan struct{} // tells the goroutine that something was written
	full    chan struct{} // and that it is to begin before the delay has passed
	close   func()        // ends the goroutine
	rest    atomic.Bool   // the writer is to copy the rest

	// Of the transaction that writes.
	rows    int // written since the log began anew
	failing bool
	report  func(error) // nil: there is none
}

func newCheckpointer(db *sql.DB, state *stateFile) *checkpointer {
	c := &checkpointer{
		db: db, state: state, after: checkpointAfter, written: make(chan struct{}, 1), full: make(chan struct{}, 1),
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	c.close = sync.OnceFunc(func() {
		close(stop)
		<-ended
	})
	go c.work(stop, ended)
	return c
}

// ReportCheckpoints has a function called when the log cannot be copied into the database, so that it grows, and, with
// nil, when it can again. It has to be set before any update. Updates wait for the function.
func (s *Store) ReportCheckpoints(report func(error)) { s.db.checkpoints.report = report }

// committed counts the rows that a commit has written.
func (c *checkpointer) committed(rows int) {
	signal(c.written)
	if c.rows += rows; c.rows >= c.after && c.rows-rows < c.after {
		signal(c.full)
	}
}

// copyRest copies the rest of the log after the goroutine has copied most of it. It is called before a transaction
// begins.
func (c *checkpointer) copyRest(writer *sqlitedb.Conn) {
	if !c.rest.CompareAndSwap(true, false) {
		return
	}
	c.rows = 0
	err := c.copy(func(into ...any) error { return writer.Row(checkpoint, nil, into...) })
	if failing := err != nil; failing != c.failing {
		c.failing = failing
		if c.report != nil {
			c.report(err)
		}
	}
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// work copies the log while the writer goes on. If it fails, the writer's own checkpoint does too, and reports it.
func (c *checkpointer) work(stop <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	delay := time.NewTimer(0)
	defer delay.Stop()
	for {
		select {
		case <-c.written:
		case <-stop:
			return
		}
		delay.Reset(checkpointDelay)
		select {
		case <-c.full:
		case <-delay.C:
		case <-stop:
			return
		}
		for range 2 { // the second time there is little to copy
			_ = c.copy(func(into ...any) error {
				return c.db.QueryRowContext(context.Background(), checkpoint).Scan(into...)
			})
		}
		_ = c.state.file.Sync() // after a power failure, the state is not older than this
		c.rest.Store(true)
	}
}

// copy runs a checkpoint, and records what the database has if that is all.
func (c *checkpointer) copy(run func(into ...any) error) error {
	committed, err := c.state.latest()
	if err != nil {
		return err
	}
	var result checkpointResult
	if err := run(result.columns()...); err != nil || !result.complete() {
		return err
	}
	return c.state.update(func(r *recorded) { r.copied = r.copied.max(committed) })
}

// A checkpointResult is the row that a checkpoint returns (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
type checkpointResult struct {
	busy        bool
	log, copied int // frames
}

func (r *checkpointResult) columns() []any { return []any{&r.busy, &r.log, &r.copied} }

// complete reports whether the database has all that the log had when the checkpoint began.
func (r *checkpointResult) complete() bool { return !r.busy && r.log == r.copied }
