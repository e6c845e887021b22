// Package journal records every write before it is sent, and what became of it, in an SQLite file. A program or machine
// that dies loses no record. Several programs may share the file.
//
// Claim (claim.go) inserts a row with the outcome sending. It returns when the row is on the disk. Only then is the
// write sent. Rows of a batch are claimed many at a time. End (results.go) updates the row soon after, together with
// others. An outcome that is lost is found again.
//
// All of this runs as jobs of a sqlitedb.Writer. docs/EXACTLY-ONCE.md describes the file and its use.
package journal

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// FileName is the journal in the state folder.
const FileName = "journal.db"

// Path is where the journal is kept in the state folder.
func Path(folder string) string { return filepath.Join(folder, FileName) }

// maxLockTimeout is the longest wait for another program's lock. A lock is usually held for some milliseconds.
const maxLockTimeout = 15 * time.Second

// A Journal records every write before it is sent, in a file, for one client of one service. It opens the file when it
// is first used, and creates it with its folder if necessary. Many goroutines may use it, and many processes the file.
//
// A write without a service belongs to this service and client. A write that was read from the journal keeps its
// own.
type Journal struct {
	Path string
	// Missing is why there cannot be a journal. Every method then returns it. Nil means there can be one.
	Missing error
	// Service is the base URL of the service.
	Service string
	// Client returns the client id that makes the writes. An empty id or a nil Client means it is not known.
	Client func(context.Context) (string, error)
	Now    func() time.Time
	// Limits are the profile's limits of payments.
	Limits Limits
	// LockTimeout is how long to wait for another program's lock: 15 seconds at most. Zero means 15 seconds.
	LockTimeout time.Duration

	mu     sync.Mutex
	opened *file
}

// open returns the open file, and what completes a write without a service. If the client is not known, it returns
// the file and an error: entries can be read, but not written.
func (j *Journal) open(ctx context.Context) (*file, PendingWrite, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := PendingWrite{Service: j.Service}
	if j.Missing != nil {
		return nil, own, j.Missing
	}
	var err, clientErr error
	if j.Client != nil {
		own.Client, clientErr = j.Client(ctx)
	}
	if j.opened == nil {
		lockTimeout := maxLockTimeout
		if j.LockTimeout > 0 {
			lockTimeout = min(lockTimeout, j.LockTimeout)
		}
		j.opened, err = openFile(ctx, j.Path, j.Now, lockTimeout)
	}
	return j.opened, own, cmp.Or(err, clientErr)
}

// complete gives a write without a service the service and client of another one.
func complete(pending *PendingWrite, own PendingWrite) {
	if pending.Service == "" {
		pending.Service, pending.Client = own.Service, own.Client
	}
}

// transact runs a job in a transaction that is on the disk when it returns.
func (j *Journal) transact(ctx context.Context, run func(*guard) error) error {
	f, own, err := j.open(ctx)
	if err != nil {
		return err
	}
	return f.do(ctx, func(conn *sqlitedb.Conn) error { return run(&guard{f, conn, own, j.Limits, map[string]*day{}}) })
}

// Close writes what End has left to write, and closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.opened == nil {
		return nil
	}
	f := j.opened
	conn, failure := f.writer.Close()
	if conn != nil {
		_ = conn.Close()
	}
	return errors.Join(explain(f.path, failure), f.db.Close(), f.owner.release())
}
