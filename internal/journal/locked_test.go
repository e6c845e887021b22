package journal_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

var errCtrlC = errors.New("interrupted")

// hold locks a journal as another program would, until the test ends or it is let go.
func hold(t testing.TB, path string) (letGo func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	done := false
	letGo = func() {
		if !done {
			done = true
			_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
			_ = db.Close()
		}
	}
	t.Cleanup(letGo)
	return letGo
}

func scope(path string) *journal.Scope {
	return &journal.Scope{
		Path: path, Service: "https://api.example.com", Profile: "work", Now: func() time.Time { return start },
		Client: func(context.Context) (string, error) { return "c", nil },
	}
}

// Who waits for a journal that another program keeps locked can be stopped: by its context, and by its own patience.
// Nothing of what it was to put down is there then.
func TestALockedJournal(t *testing.T) {
	t.Parallel()
	one := []payments.Intent{intent("k")}
	for name, do := range map[string]func(context.Context, *journal.Scope) error{
		"begin": func(ctx context.Context, s *journal.Scope) error {
			_, _, err := s.Begin(ctx, intent("k"), false)
			return err
		},
		"prepare": func(ctx context.Context, s *journal.Scope) error { return s.Prepare(ctx, one) },
		"record": func(ctx context.Context, s *journal.Scope) error {
			return s.Record(ctx, []payments.JournalEntry{{Intent: intent("k"), Result: payments.Result{Outcome: payments.OutcomeDone}}})
		},
		"compact": func(ctx context.Context, s *journal.Scope) error {
			_, err := s.Compact(ctx, start)
			return err
		},
	} {
		for _, fresh := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "journal.db")
			require.NoError(t, open(t, path).Close())
			opened := func(patience time.Duration) *journal.Scope {
				s := scope(path)
				s.Patience = patience
				if !fresh {
					_, _, err := s.Lookup(t.Context(), payments.Intent{Operation: "o", Key: "other"})
					require.NoError(t, err)
				}
				return s
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := opened(0)
				letGo := hold(t, path)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(30*time.Millisecond, func() { cancel(errCtrlC) })
				require.ErrorIs(t, do(ctx, s), errCtrlC)

				short := opened(30 * time.Millisecond)
				err := do(t.Context(), short)
				require.ErrorIs(t, err, journal.ErrLocked)
				require.ErrorContains(t, err, path)

				letGo()
				_, found, err := s.Lookup(t.Context(), payments.Intent{Operation: "createAutoTransfer", Key: "k"})
				require.NoError(t, err)
				require.False(t, found, "what was given up is not there")
				require.NoError(t, do(t.Context(), s), "and can be done when the lock is gone")
				require.NoError(t, s.Close())
				require.NoError(t, short.Close())
			})
		}
	}
}

// A lock that is held for as long as the journal was made, by somebody who makes it too, is waited for.
func TestALockThatIsLetGo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, path)
	letGo := hold(t, path)
	time.AfterFunc(50*time.Millisecond, letGo)
	_, mine := begin(t, j, intent("k"), false)
	require.True(t, mine)
}

// A journal that is moved away, removed or replaced while it is used takes no more writes: they would be on no disk that
// anybody finds again.
func TestAJournalThatIsTakenAway(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open stays where it is there")
	}
	for name, take := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			j, err := journal.Open(context.Background(), path, time.Now)
			if err != nil {
				return err
			}
			return j.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j := open(t, path)
			_, mine := begin(t, j, intent("first"), false)
			require.True(t, mine)
			require.NoError(t, take(path))
			_, mine, err := j.Begin(t.Context(), intent("second"), false)
			require.ErrorIs(t, err, journal.ErrGone)
			require.False(t, mine)
			require.ErrorIs(t, j.Prepare(t.Context(), []payments.Intent{intent("third")}), journal.ErrGone)
		})
	}
}

// looked is a context that does something when it is looked at for the nth time.
type looked struct {
	context.Context //nolint:containedctx // this is one
	left            *atomic.Int64
	then            func()
}

func (l looked) Done() <-chan struct{} {
	if l.left.Add(-1) == 0 {
		l.then()
	}
	return l.Context.Done()
}

// A file that is replaced while it is opened, which takes long where it has to be brought up to date and another program keeps it
// locked, is known to be gone.
func TestAJournalThatIsTakenAwayWhileItIsOpened(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open stays where it is there")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "journal.db")
	firstVersion(t, path)
	letGo := hold(t, path)
	var left atomic.Int64
	left.Store(100) // by then it waits for the lock
	j, err := journal.Open(looked{t.Context(), &left, func() {
		require.NoError(t, os.Mkdir(filepath.Join(folder, "old"), 0o700))
		for _, suffix := range []string{"", "-wal", "-shm"} {
			require.NoError(t, os.Rename(path+suffix, filepath.Join(folder, "old", "journal.db"+suffix)))
		}
		other, err := journal.Open(context.Background(), path, time.Now)
		require.NoError(t, err)
		require.NoError(t, other.Close())
		letGo()
	}}, path, time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	require.LessOrEqual(t, left.Load(), int64(0))
	_, mine, err := j.Begin(t.Context(), intent("k"), false)
	require.ErrorIs(t, err, journal.ErrGone)
	require.False(t, mine)
}

// A database that is another program's is not made a journal.
func TestADatabaseOfAnotherProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 7")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, os.Chmod(path, 0o600))
	_, err = journal.Open(t.Context(), path, time.Now)
	require.ErrorIs(t, err, journal.ErrCorrupt)

	db, err = sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 0")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = journal.Open(t.Context(), path, time.Now)
	require.ErrorIs(t, err, journal.ErrCorrupt)
}

// A later version's file is refused, and left as it is.
func TestAFileOfALaterVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	require.NoError(t, open(t, path).Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 1000")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = journal.Open(t.Context(), path, time.Now)
	require.ErrorIs(t, err, journal.ErrNewer)
}
