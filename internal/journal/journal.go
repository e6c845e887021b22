// Package journal is where every write is put down before it leaves, and what became of it: a file of SQLite, so that a
// program or a machine that dies loses nothing that was put down, and several programs may share it.
//
// docs/JOURNAL.md describes the file for those who want to read it with other tools.
package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sqlitefile"
)

// FileName is the journal in the state folder.
const FileName = "journal.db"

// Path is where the journal is kept: in the file that was named, else in the state folder.
func Path(named, folder string) string { return cmp.Or(named, filepath.Join(folder, FileName)) }

// Errors of Open, wrapped with what to do about them.
var (
	// ErrNewer: a later version of the program has used the file.
	ErrNewer = errors.New("the journal was written by a later version of payctl")
	// ErrCorrupt: the file is no journal, or has been damaged.
	ErrCorrupt = errors.New("the journal is damaged")
	// ErrUnsafe: the file is a link, or others may read it.
	ErrUnsafe = errors.New("the journal is not safe to use")
	// ErrLocked: another program has kept the file locked for as long as this one waits.
	ErrLocked = errors.New("another program keeps the journal locked")
	// ErrGone: the file was removed, moved away or replaced while it was used.
	ErrGone = errors.New("the journal was taken away while it was used")
	// ErrOthers: that a write is not there cannot be told by another client than the one that sent it.
	ErrOthers = errors.New("another client may have sent this write; that this one does not see it says nothing")
	// ErrMoved: what was to be put down as absent has been sent, or found, by another program since it was looked at.
	ErrMoved = errors.New("another program has sent this write meanwhile; look again")
)

// Journal implements payments.Journal in a file. It is safe for use by many goroutines, and by many processes.
type Journal struct {
	db       *sql.DB
	path     string
	now      func() time.Time
	patience time.Duration // for which another program's lock is waited for
	writer   *writer
	owner    *owner

	mu       sync.Mutex
	prepared map[identity]ahead // what was put down ahead by this process, and not begun yet
	begun    map[identity]int64 // numbers of those that were begun, and have not ended yet
}

var _ payments.Journal = (*Journal)(nil)

// Open opens the journal in a file, which is made, with its folder, when it is not there. Now gives the time of entries.
func Open(ctx context.Context, path string, now func() time.Time) (*Journal, error) {
	return openFor(ctx, path, now, longestPatience)
}

// openFor is Open with the time for which another program's lock is waited for.
func openFor(ctx context.Context, path string, now func() time.Time, patience time.Duration) (*Journal, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := prepareFile(path); err != nil {
		return nil, &UnusableError{path, err}
	}
	if err := sqlitefile.Check(path); err != nil {
		return nil, explain(path, err)
	}
	there, err := inPlace(path) // before it is opened, so that one that takes its place meanwhile is known to be another
	if err != nil {
		return nil, explain(path, err)
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, err
	}
	err = unlocked(ctx, patience, func() error { return migrate(ctx, db) })
	if err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return &Journal{
		db: db, path: path, now: func() time.Time { return now().Round(0) }, // the wall clock alone: the other stands still while a machine sleeps
		patience: patience, writer: newWriter(db, patience, there),
		owner: newOwner(path, rand.Text(), patience), prepared: map[identity]ahead{}, begun: map[identity]int64{},
	}, nil
}

// Close flushes the journal and closes it. What was put down ahead and not begun did not leave.
func (j *Journal) Close() error {
	abandoned := j.abandon()
	failure := cmp.Or(j.writer.close(), abandoned) // the writer's last failure is of both
	return errors.Join(explain(j.path, failure), j.db.Close(), j.owner.release())
}

// Flush waits until everything that was put down is on the disk.
func (j *Journal) Flush(ctx context.Context) error {
	return j.writer.do(ctx, func(context.Context, *statements) error { return nil })
}

// Begin implements payments.Journal.
func (j *Journal) Begin(ctx context.Context, intent payments.Intent, again bool) (payments.JournalEntry, bool, error) {
	id := identify(intent)
	if early, ok := j.take(id); ok {
		if mine, err := j.still(ctx, id, early); mine || err != nil {
			return payments.JournalEntry{}, mine, explain(j.path, err)
		}
	}
	return j.beginNow(ctx, id, intent, again)
}

// beginNow is Begin of a write that was not put down ahead.
func (j *Journal) beginNow(ctx context.Context, id identity, intent payments.Intent, again bool) (entry payments.JournalEntry, mine bool, err error) {
	if err := j.owner.claim(ctx); err != nil {
		return entry, false, explain(j.path, err)
	}
	err = j.writer.do(ctx, func(ctx context.Context, s *statements) error {
		earlier, owner, found, err := s.find(ctx, id)
		if err != nil {
			return err
		}
		if found && !free(earlier, intent) {
			earlier.Busy = earlier.Outcome == payments.OutcomeSending && j.owner.alive(owner)
			entry = earlier
			if earlier.Outcome.Settled() || earlier.Busy || !again {
				return nil
			}
		}
		mine = true
		return s.begin(ctx, id, intent, j.owner.name, j.now())
	})
	if err != nil {
		return payments.JournalEntry{}, false, explain(j.path, err)
	}
	return entry, mine, nil
}

// free says whether a write may be sent in spite of an earlier entry: because that one did not happen, or happened in a
// world that is gone.
func free(earlier payments.JournalEntry, intent payments.Intent) bool {
	switch earlier.Outcome {
	case payments.OutcomeRefused, payments.OutcomeNotSent, payments.OutcomeAbsent:
		return true
	}
	return earlier.Result.World != "" && intent.World != "" && earlier.Result.World != intent.World
}

// End implements payments.Journal.
func (j *Journal) End(intent payments.Intent, result payments.Result) error {
	id, now := identify(intent), j.now()
	number := j.leave(id)
	return explain(j.path, j.writer.later(func(ctx context.Context, s *statements) error {
		if number > 0 && result.Outcome == payments.OutcomeDone {
			if done, err := s.done(ctx, number, id, result, now); done || err != nil {
				return err
			}
		}
		if found, err := s.end(ctx, id, result, now); found || err != nil {
			return err
		}
		// It was dropped meanwhile, or is done by what another program found. What is dropped has its outcome all the same.
		added, err := s.add(ctx, id, intent, j.owner.name, now)
		if added {
			_, err = s.end(ctx, id, result, now)
		}
		return err
	}))
}

// Record puts down what was found out about writes, whether or not the journal knows of them. Absence counts only while
// nobody has sent the write since the entry was read: to call it absent then would let it be sent a second time. Such
// entries are left as they are, and the error is ErrMoved.
//
// What was done with another content than this journal has is put down with its own, so that nobody takes it for what was
// asked for here; but what was done here stays, whatever else has its key.
func (j *Journal) Record(ctx context.Context, entries []payments.JournalEntry) error {
	moved := false
	err := j.writer.do(ctx, func(ctx context.Context, s *statements) error {
		for _, entry := range entries {
			id := identify(entry.Intent)
			earlier, _, found, err := s.find(ctx, id)
			if err != nil {
				return err
			}
			if found && entry.Outcome == payments.OutcomeAbsent &&
				(earlier.Attempts != entry.Attempts || earlier.Outcome == payments.OutcomeDone) {
				moved = true
				continue
			}
			switch {
			case !found:
				err = s.begin(ctx, id, entry.Intent, "", j.now())
			case entry.Outcome != payments.OutcomeDone || entry.BodyHash == earlier.BodyHash:
			case earlier.Outcome == payments.OutcomeDone && !free(earlier, entry.Intent):
				continue
			default:
				err = s.content(ctx, id, entry.BodyHash)
			}
			if err != nil {
				return err
			}
			if _, err := s.end(ctx, id, entry.Result, j.now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && moved {
		return ErrMoved
	}
	return explain(j.path, err)
}
