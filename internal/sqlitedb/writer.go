package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// ErrClosed is the error of a write after Close.
var ErrClosed = errors.New("the database is closed")

// laterDelay is how long jobs of Later wait for more of them: long compared with a commit, and short for a person.
const laterDelay = 100 * time.Millisecond

// writerBusyTimeout is how long SQLite itself waits for a lock on the writer's connection, between two attempts of
// Retry. It is short: the writer must soon notice that no caller waits any more.
const writerBusyTimeout = "PRAGMA busy_timeout = 20" // milliseconds

// A Writer commits the writes of many goroutines together, which share one wait for the disk. The writer's goroutine
// begins a transaction, lets the waiting jobs run in it one after the other, and commits.
// Then it returns the result of the transaction to every caller. The fields must be set before the first job.
type Writer struct {
	DB          *sql.DB
	LockTimeout time.Duration // how long a transaction waits for a lock of another process
	MaxJobs     int           // the most jobs in a transaction: each caller waits for all of them
	MaxAge      time.Duration // after that no further job joins a transaction

	// Check runs on the writer's goroutine, before a transaction begins and after its commit. An error fails the
	// transaction's jobs.
	Check func() error

	jobs  *queue
	later chan struct{} // has one element for each job of Later that waits, which bounds them
	ended chan struct{} // closed when the goroutine has ended
	conn  *Conn         // used by the goroutine; nil means not opened yet, or discarded after a failure

	failure atomic.Pointer[error] // of a job of Later
}

// NewWriter starts a writer.
func NewWriter(db *sql.DB, lockTimeout time.Duration, maxJobs int, maxAge time.Duration) *Writer {
	w := &Writer{
		DB: db, LockTimeout: lockTimeout, MaxJobs: maxJobs, MaxAge: maxAge,
		Check: func() error { return nil },
		jobs:  newQueue(), later: make(chan struct{}, 2*maxJobs), ended: make(chan struct{}),
	}
	go w.work()
	return w
}

// A job is work within a transaction.
type job struct {
	ctx   context.Context   //nolint:containedctx // the caller's, who may stop waiting before the job begins
	turn  chan *Conn        // gives the connection to the caller, who runs the job on it
	ran   chan error        // the result of the job
	done  chan error        // the result of the transaction
	run   func(*Conn) error // set for a job of Later, whose channels above are nil
	slots chan struct{}     // Writer.later for a job of Later
}

// Do runs a job on the caller's goroutine within a transaction, and returns when the transaction is on the disk or has
// failed. An error of run fails the transaction and all its jobs. The transaction goes on after a panic of run, which
// must undo its own writes first. The context bounds the wait for the job's turn, not the job. Jobs run in order of
// arrival.
func (w *Writer) Do(ctx context.Context, run func(*Conn) error) error {
	j := &job{ctx: ctx, turn: make(chan *Conn), ran: make(chan error, 1), done: make(chan error, 1)}
	if !w.jobs.add(j) {
		return ErrClosed
	}
	select {
	case conn := <-j.turn:
		j.runOn(conn, run)
		return <-j.done
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (j *job) runOn(conn *Conn, run func(*Conn) error) {
	var err error
	defer func() { j.ran <- err }() // also when run panics
	err = run(conn)
}

// Later runs a job in a later transaction. It waits only if many such jobs wait. The error is of an earlier job.
func (w *Writer) Later(run func(*Conn) error) error {
	w.later <- struct{}{}
	if !w.jobs.add(&job{ctx: context.Background(), run: run, slots: w.later}) {
		<-w.later
		return ErrClosed
	}
	return w.failed()
}

// Close waits for the jobs so far, and refuses others. It returns the writer's connection, which the caller must close.
// nil means there is none. The error is of a job of Later.
func (w *Writer) Close() (*Conn, error) {
	if !w.jobs.close() {
		return nil, nil
	}
	<-w.ended
	return w.conn, w.failed()
}

func (w *Writer) failed() error {
	if failure := w.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

func (w *Writer) work() {
	defer close(w.ended)
	for first := w.jobs.wait(); first != nil; first = w.jobs.wait() {
		members, err := w.transact(w.gather(first))
		for _, j := range members {
			if j.done != nil {
				j.done <- err
			} else if err != nil {
				w.failure.Store(&err)
			}
		}
	}
}

// gather waits for more jobs if the first is a job of Later, since no caller waits for that one.
func (w *Writer) gather(first *job) []*job {
	jobs := []*job{first}
	if first.done != nil {
		return jobs
	}
	timer := time.NewTimer(laterDelay)
	defer timer.Stop()
	for len(jobs) < w.MaxJobs {
		if next := w.jobs.take(); next != nil {
			jobs = append(jobs, next)
			if next.done != nil {
				return jobs
			}
			continue
		}
		if w.jobs.isClosed() {
			return jobs
		}
		select {
		case <-w.jobs.added:
		case <-timer.C:
			return jobs
		}
	}
	return jobs
}

// transact runs jobs, and those that arrive meanwhile, in one transaction. It returns the jobs that share its result:
// all whose callers still wait. After a failure it discards the connection, and with it the transaction.
func (w *Writer) transact(jobs []*job) (members []*job, err error) {
	defer func() {
		if err != nil && w.conn != nil {
			w.conn.Discard()
			w.conn = nil
		}
	}()
	if jobs, err = w.beginTransaction(jobs); err != nil || len(jobs) == 0 {
		return jobs, err
	}
	ends := time.Now().Add(w.MaxAge)
	for len(jobs) > 0 && err == nil {
		var ran bool
		if ran, err = w.giveTurn(jobs[0]); ran {
			members = append(members, jobs[0])
		}
		jobs = jobs[1:]
		if len(jobs) == 0 && len(members) < w.MaxJobs && time.Now().Before(ends) {
			if next := w.jobs.take(); next != nil {
				jobs = append(jobs, next)
			}
		}
	}
	members = append(members, jobs...) // after a failure
	if err != nil {
		return members, err
	}
	if err = w.conn.Commit(); err != nil {
		return members, err
	}
	return members, w.Check()
}

// beginTransaction begins a transaction as soon as no other process has one. It returns the jobs whose callers still
// wait. If none does, it begins nothing.
func (w *Writer) beginTransaction(jobs []*job) ([]*job, error) {
	if err := w.Check(); err != nil {
		return jobs, err
	}
	ctx := context.Background()
	err := Retry(ctx, w.LockTimeout, func() (err error) {
		jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.ctx.Err() != nil })
		if len(jobs) == 0 {
			return nil
		}
		if w.conn == nil {
			if w.conn, err = Connect(ctx, w.DB); err != nil {
				return err
			}
			if err := w.conn.Exec(writerBusyTimeout); err != nil {
				return err
			}
		}
		return w.conn.BeginWrite()
	})
	return jobs, err
}

// giveTurn runs a job, unless its caller has stopped waiting.
func (w *Writer) giveTurn(j *job) (ran bool, err error) {
	if j.run != nil {
		return true, j.run(w.conn)
	}
	select {
	case j.turn <- w.conn:
		return true, <-j.ran
	case <-j.ctx.Done():
		return false, nil
	}
}
