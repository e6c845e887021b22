package journal

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	mostTogether = 512                    // jobs that are committed together, whoever waits for them
	gatherFor    = 100 * time.Millisecond // for which a job that nobody waits for waits for others
)

// errClosed is the failure of what comes after Close.
var errClosed = errors.New("the journal is closed")

// A job is work within a transaction. Its error takes back the whole transaction.
type job struct {
	ctx  context.Context //nolint:containedctx // of who waits, and may stop waiting before the job has begun
	run  func(context.Context, *statements) error
	done chan<- error // nil: nobody waits
}

// A writer does the jobs of one process in turn. What waits together is committed together, so that many writes share
// one wait for the disk.
type writer struct {
	db       *sql.DB
	patience time.Duration // for which another process's lock is waited for
	inPlace  func() error  // says whether the file is still where others look for it
	jobs     chan job
	idle     chan struct{} // closed when the writer has ended

	start  sync.Once
	open   sync.RWMutex
	closed bool

	mu      sync.Mutex
	failure error // of a job that nobody waited for
}

func newWriter(db *sql.DB, patience time.Duration, inPlace func() error) *writer {
	return &writer{db: db, patience: patience, inPlace: inPlace, jobs: make(chan job, mostTogether), idle: make(chan struct{})}
}

// do does a job and waits until the disk has it. The context bounds only how long the job waits for its turn, and for
// locks of other processes: what has begun comes to its end.
func (w *writer) do(ctx context.Context, run func(context.Context, *statements) error) error {
	done := make(chan error, 1)
	if err := w.submit(ctx, job{ctx, run, done}); err != nil {
		return err
	}
	return <-done
}

// later does a job without waiting for it. The error is that of an earlier one.
func (w *writer) later(run func(context.Context, *statements) error) error {
	if err := w.submit(context.Background(), job{run: run}); err != nil {
		return err
	}
	return w.failed()
}

func (w *writer) submit(ctx context.Context, j job) error {
	w.open.RLock() // which close waits for
	defer w.open.RUnlock()
	if w.closed {
		return errClosed
	}
	w.start.Do(func() { go w.work() })
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close does what is left. It returns the failure of a job that nobody waited for.
func (w *writer) close() error {
	w.open.Lock()
	closed := w.closed
	w.closed = true
	w.open.Unlock()
	if closed {
		return nil
	}
	close(w.jobs)
	w.start.Do(func() { close(w.idle) }) // it never began
	<-w.idle
	return w.failed()
}

func (w *writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

func (w *writer) work() {
	defer close(w.idle)
	var s *statements
	for first := range w.jobs {
		group, err := w.commit(&s, w.gather(first))
		for _, j := range group {
			if j.done != nil {
				j.done <- err
			} else if err != nil {
				w.mu.Lock()
				w.failure = err
				w.mu.Unlock()
			}
		}
	}
	if s != nil {
		// Its statements stay, and for SQLite with them the connection, until the program ends: whoever closes the file last copies
		// the log into it, and each command would wait twice more for the disk.
		_ = s.conn.Close()
	}
}

// gather is a job and those that are to be committed with it.
func (w *writer) gather(first job) []job {
	group := []job{first}
	var late <-chan time.Time
	if first.done == nil {
		timer := time.NewTimer(gatherFor)
		defer timer.Stop()
		late = timer.C
	}
	for len(group) < mostTogether {
		if late == nil { // somebody waits: take only what is there
			select {
			case next, ok := <-w.jobs:
				if !ok {
					return group
				}
				group = append(group, next)
				continue
			default:
				return group
			}
		}
		select {
		case next, ok := <-w.jobs:
			if !ok {
				return group
			}
			group = append(group, next)
			if next.done != nil {
				late = nil
			}
		case <-late:
			return group
		}
	}
	return group
}

// commit does jobs in one transaction, but for those that nobody waits for any more before it has begun: they are left
// out of those that it returns. After a failure the connection is given up, so that nothing is left behind.
func (w *writer) commit(s **statements, group []job) (kept []job, err error) {
	ctx := context.Background()
	defer func() {
		if err != nil && *s != nil {
			_, _ = (*s).exec(ctx, "ROLLBACK")                               // giving the connection up alone has been seen to keep the lock
			_ = (*s).conn.Raw(func(any) error { return driver.ErrBadConn }) // which keeps it out of the pool
			*s = nil
		}
	}()
	if group, err = w.lock(ctx, s, group); err != nil || len(group) == 0 {
		return group, err
	}
	for _, j := range group {
		if err := j.run(ctx, *s); err != nil {
			return group, err
		}
	}
	if _, err := (*s).exec(ctx, "COMMIT"); err != nil {
		if slices.ContainsFunc(group, func(j job) bool { return j.done != nil }) { // outcomes alone do no harm
			(*s).bury(ctx)
		}
		return group, err
	}
	return group, w.inPlace()
}

// bury writes a commit that changes nothing over one that failed. That one may stand in the log as a whole where only the disk
// did not confirm it; whoever opened the file next would take it for committed, and a write that never left for one that may have.
// Where this fails too, it is taken for that, which is the safe side.
func (s *statements) bury(ctx context.Context) {
	_, _ = s.exec(ctx, "ROLLBACK") // where that has not come about by itself
	if _, err := s.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return // where another process is at it, that writes over what failed
	}
	var version int
	if err := s.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err == nil {
		_, _ = s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; COMMIT", version))
	}
}
