// Package journal records every write before it is sent, and what became of it, in an SQLite file. A program or a
// machine that dies loses nothing that was recorded, and several programs may share the file.
//
// A write travels like this. Claim inserts a row with the outcome sending and returns when the row is on the disk;
// only then is the write sent. Rows of a batch are claimed many at a time. End updates the row soon after, together
// with others, since an outcome that is lost is found out again. Which outcome follows which is the table Transitions.
//
// All of this runs as jobs of a sqlitedb.Writer, with the statements of statements.go. docs/EXACTLY-ONCE.md describes
// the file and its use.
package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// FileName is the journal in the state folder.
const FileName = "journal.db"

// Path is where the journal is kept: in the file that was named, otherwise in the state folder.
func Path(named, folder string) string { return cmp.Or(named, filepath.Join(folder, FileName)) }

// maxPatience is the longest wait for another program's lock. A lock is usually held for some milliseconds.
const maxPatience = 15 * time.Second

// A Journal records every write before it is sent, in a file, for one client of one service. It opens the file when it
// is first used, and creates it with its folder if necessary. Many goroutines may use it, and many processes the file.
//
// An intent without a service belongs to this service, profile and client. One that was read from the journal keeps
// its own.
type Journal struct {
	Path string
	// Missing is why there is no place for a journal, with which everything fails; nil: there is one.
	Missing error
	// Service is the base URL of the service.
	Service, Profile string
	// Client returns the client id that writes are made as. It is not known if that is empty, or Client is nil.
	Client func(context.Context) (string, error)
	Now    func() time.Time
	// Patience is how long to wait for another program's lock; 15 seconds at most, and if it is zero.
	Patience time.Duration

	mu     sync.Mutex
	opened *file
}

// A file is an open journal.
type file struct {
	path     string
	db       *sql.DB
	now      func() time.Time
	patience time.Duration
	writer   *sqlitedb.Writer
	owner    *owner
	ended    []write // by the jobs of End in the present transaction; the writer's, or that of the job that it runs
}

// jobsTogether is the most jobs in a transaction: more than a batch claims at once, so that the writes that have ended
// share the transaction of the next claim.
const jobsTogether = 2048

// open returns the open file, and what an intent without a service is completed with.
func (j *Journal) open(ctx context.Context) (*file, Intent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := Intent{Service: j.Service, Profile: j.Profile}
	if j.Missing != nil {
		return nil, own, j.Missing
	}
	var err error
	if j.Client != nil {
		if own.Client, err = j.Client(ctx); err != nil {
			return nil, own, err
		}
	}
	if j.opened == nil {
		patience := maxPatience
		if j.Patience > 0 {
			patience = min(patience, j.Patience)
		}
		j.opened, err = openFile(ctx, j.Path, j.Now, patience)
	}
	return j.opened, own, err
}

// complete gives an intent without a service the service, profile and client of another one.
func complete(intent *Intent, own Intent) {
	if intent.Service == "" {
		intent.Service, intent.Profile, intent.Client = own.Service, own.Profile, own.Client
	}
}

func openFile(ctx context.Context, path string, now func() time.Time, patience time.Duration) (*file, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, inPlace, err := sqlitedb.Open(path, then, pragmas...)
	if err != nil {
		return nil, explain(path, err)
	}
	if err := prepare(ctx, db, patience); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	f := &file{
		path: path, db: db, patience: patience, owner: newOwner(path, rand.Text(), patience),
		now: func() time.Time { return now().Round(0) }, // without the monotonic clock, which stops in sleep
	}
	f.writer = sqlitedb.NewWriter(db, patience, jobsTogether, maxPatience)
	f.writer.Check = inPlace
	f.writer.BeforeCommit = f.writeEnded
	return f, nil
}

// Close writes what End and Release have left to write, and closes the file.
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

// do runs a job in a transaction that is on the disk when it returns. The job sees what End and Release left to write.
func (f *file) do(ctx context.Context, run func(*sqlitedb.Conn) error) error {
	return explain(f.path, f.writer.Do(ctx, func(conn *sqlitedb.Conn) error {
		if err := f.writeEnded(conn); err != nil {
			return err
		}
		return run(conn)
	}))
}

// End records the result of a write. It does not wait for the disk: after a crash before the commit the outcome is
// open again, which is safe.
func (j *Journal) End(intent Intent, result Result) error {
	f, own, err := j.open(context.Background())
	if err != nil {
		return err
	}
	if _, ok := answers[result.Outcome]; !ok {
		return fmt.Errorf("a write does not end as %q", result.Outcome)
	}
	complete(&intent, own)
	ended := write{id: identify(intent), intent: intent, result: result}
	return explain(f.path, f.writer.Later(func(*sqlitedb.Conn) error {
		f.ended = append(f.ended, ended)
		return nil
	}))
}

// writeEnded writes what the jobs of End have collected in a transaction.
func (f *file) writeEnded(conn *sqlitedb.Conn) error {
	ended := f.ended
	f.ended = f.ended[:0]
	return inGroups(ended, hasSameResult, func(writes []write) error {
		event := answers[writes[0].result.Outcome]
		changed, err := endTogether(conn, event, writes, f.owner.name, f.now())
		if err != nil || changed == int64(len(writes)) {
			return err
		}
		for _, w := range writes {
			if err := f.endDropped(conn, event, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// hasSameResult reports whether two writes ended in the same way, but for the subject.
func hasSameResult(a, b write) bool {
	a.result.Subject = b.result.Subject
	return a.result == b.result
}

// endDropped records the result of a write whose entry was dropped meanwhile.
func (f *file) endDropped(conn *sqlitedb.Conn, event Event, w write) error {
	if _, counts := After(Outcome(""), event); !counts {
		return nil
	}
	if _, found, err := find(conn, w.id); err != nil || found {
		return err
	}
	if err := f.replace(conn, newWrite(w.intent, w.result), OutcomeSending, false); err != nil {
		return err
	}
	_, err := endTogether(conn, event, []write{w}, f.owner.name, f.now())
	return err
}

// Record records what was found out about writes: that they are done, whether or not the journal has them, or absent.
// That a write is absent counts only if no program has sent it since the entry was read, or is sending it, since an
// absent write may be sent again; otherwise the entry stays as it is, and the error is ErrMoved. It also counts only for
// the client that sent the write: otherwise nothing is recorded, and the error is ErrOthers.
//
// A write that is done with another content than the journal has is recorded with that content, so that it does not
// count as what was asked for here. But a write that was done from here keeps its content.
func (j *Journal) Record(ctx context.Context, entries []Entry) error {
	f, own, err := j.open(ctx)
	if err != nil {
		return err
	}
	for i := range entries {
		entry := &entries[i]
		complete(&entry.Intent, own)
		if entry.Outcome == OutcomeAbsent && (entry.Service != own.Service || entry.Client != own.Client) {
			return ErrOthers
		}
	}
	moved := false
	err = f.do(ctx, func(conn *sqlitedb.Conn) error {
		for _, entry := range entries {
			recorded, err := f.record(conn, entry)
			if err != nil {
				return err
			}
			moved = moved || !recorded
		}
		return nil
	})
	if err == nil && moved {
		return ErrMoved
	}
	return err
}

// record records one entry. It returns false if another program has sent or found the write since the entry was read.
func (f *file) record(conn *sqlitedb.Conn, entry Entry) (recorded bool, err error) {
	w := newWrite(entry.Intent, entry.Result)
	known, found, err := find(conn, w.id)
	if err != nil {
		return false, err
	}
	earlier := known.entry
	event := findings[entry.Outcome]
	_, counts := After(earlier.Outcome, event)
	busy := !isSettled(earlier.Outcome) && f.owner.alive(known.owner)
	if !counts || event == EventNotShown && (busy || earlier.Attempts != entry.Attempts) {
		return false, nil
	}
	switch {
	case !found:
		err = f.replace(conn, w, OutcomeSending, false)
	case event != EventFound || entry.Fingerprint == earlier.Fingerprint:
	case earlier.Outcome == OutcomeDone && !earlier.IsOfOtherWorld(entry.Intent.World):
		return true, nil
	default:
		err = conn.Exec(contentWrite, entry.Fingerprint, w.id[:])
	}
	if err == nil {
		_, err = endTogether(conn, event, []write{w}, f.owner.name, f.now())
	}
	return true, err
}

// Forget records that a write that was done counts as not done: its effect is gone. It may be sent again then. The error is
// ErrMoved if the entry has changed since it was read, and ErrOthers if another client sent the write.
func (j *Journal) Forget(ctx context.Context, entry Entry) error {
	f, own, err := j.open(ctx)
	if err != nil {
		return err
	}
	complete(&entry.Intent, own)
	if entry.Service != own.Service || entry.Client != own.Client {
		return ErrOthers
	}
	id := identify(entry.Intent)
	return f.do(ctx, func(conn *sqlitedb.Conn) error {
		changed, err := conn.Changes(forgetWrite, timeText(f.now()), id[:], entry.Subject, entry.Attempts)
		if err == nil && changed == 0 {
			return ErrMoved
		}
		return err
	})
}

// An identity names a write in the journal. It is made of that to which a service scopes idempotency keys, and the key.
type identity [16]byte

func identify(intent Intent) identity {
	hash := sha256.New()
	for _, part := range []string{intent.Service, intent.Client, intent.Operation, intent.Key} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return identity(hash.Sum(nil)[:len(identity{})])
}
