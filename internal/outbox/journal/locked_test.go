package journal_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

var errCtrlC = errors.New("interrupted")

// hold locks a journal as another program would, until letGo is called or the test ends.
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
			_ = conn.Close()
			_ = db.Close()
		}
	}
	t.Cleanup(letGo)
	return letGo
}

func create(t testing.TB, path string) {
	t.Helper()
	j := open(t, path)
	require.NoError(t, j.Record(t.Context(), nil))
	require.NoError(t, j.Close())
}

func scope(path string) *journal.Journal {
	return &journal.Journal{
		Path: path, Service: "https://api.example.com", Now: func() time.Time { return start },
		Client: func(context.Context) (string, error) { return "c", nil },
	}
}

// The wait for a locked journal ends with its context, or after LockTimeout. Nothing is recorded.
func TestALockedJournal(t *testing.T) {
	t.Parallel()
	one := []journal.PendingWrite{intent("k")}
	for name, do := range map[string]func(context.Context, *journal.Journal) error{
		"claim": func(ctx context.Context, s *journal.Journal) error {
			_, err := s.Claim(ctx, one, journal.First)
			return err
		},
		"renew": func(ctx context.Context, s *journal.Journal) error {
			_, err := s.Renew(ctx, intent("k"))
			return err
		},
		"record": func(ctx context.Context, s *journal.Journal) error {
			return s.Record(ctx, nil)
		},
	} {
		for _, fresh := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "journal.db")
			create(t, path)
			opened := func(lockTimeout time.Duration) *journal.Journal {
				s := scope(path)
				s.LockTimeout = lockTimeout
				if !fresh {
					_, err := s.Lookup(t.Context(), journal.PendingWrite{Operation: "o", Key: "other"})
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
				entries, err := s.Lookup(t.Context(), journal.PendingWrite{Operation: "createAutoTransfer", Key: "k"})
				require.NoError(t, err)
				require.Empty(t, entries[0].Outcome, "nothing is recorded")
				require.NoError(t, do(t.Context(), s), "it works when the lock is gone")
				require.NoError(t, s.Close())
				require.NoError(t, short.Close())
			})
		}
	}
}

// A journal that is moved, removed or replaced while it is used records no more writes: they would be in a file that no
// program finds again.
func TestAJournalThatIsTakenAway(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not move or remove an open file")
	}
	for name, take := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			j := scope(path)
			return errors.Join(j.Record(context.Background(), nil), j.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j := open(t, path)
			_, mine := claim(t, j, intent("first"), false)
			require.True(t, mine)
			require.NoError(t, take(path))
			_, err := j.Claim(t.Context(), []journal.PendingWrite{intent("second")}, journal.First)
			require.ErrorIs(t, err, journal.ErrGone)
			mine, err = j.Renew(t.Context(), intent("first"))
			require.ErrorIs(t, err, journal.ErrGone)
			require.False(t, mine)
		})
	}
}

// The database of another program does not become a journal. The file of a later version is refused.
func TestFilesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "text.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("something else ", 300)), 0o600))
	require.ErrorIs(t, openError(t, path), journal.ErrCorrupt)

	path = filepath.Join(t.TempDir(), "foreign.db")
	exec(t, path, "CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 7")
	require.NoError(t, os.Chmod(path, 0o600))
	require.ErrorIs(t, openError(t, path), journal.ErrCorrupt)
	exec(t, path, "PRAGMA user_version = 0")
	require.ErrorIs(t, openError(t, path), journal.ErrCorrupt)

	path = filepath.Join(t.TempDir(), "journal.db")
	create(t, path)
	exec(t, path, "PRAGMA user_version = 1000")
	require.ErrorIs(t, openError(t, path), journal.ErrNewer)
}
