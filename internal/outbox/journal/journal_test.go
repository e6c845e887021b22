package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func open(t testing.TB, path string) *journal.Journal {
	t.Helper()
	j := scope(path)
	t.Cleanup(func() { _ = j.Close() }) // a second Close does nothing
	return j
}

// openError returns the error of opening a journal.
func openError(t testing.TB, path string) error {
	t.Helper()
	j := scope(path)
	_, err := j.Lookup(t.Context(), intent("k"))
	require.NoError(t, j.Close())
	return err
}

func intent(key string) journal.PendingWrite {
	return journal.PendingWrite{
		Service: "https://api.example.com", Client: "c", Operation: "createAutoTransfer", Key: key,
		Fingerprint: "hash of " + key, Reference: "r-" + key, Body: []byte(`{}`),
	}
}

// claim claims one write.
func claim(t require.TestingT, j *journal.Journal, i journal.PendingWrite, takeOver bool) (journal.Entry, bool) {
	mode := journal.First
	if takeOver {
		mode = journal.Again
	}
	claims, err := j.Claim(context.Background(), []journal.PendingWrite{i}, mode)
	require.NoError(t, err)
	return claims[0].Entry, claims[0].Mine
}

// end ends a claimed write, and waits until that is recorded.
func end(t require.TestingT, j *journal.Journal, i journal.PendingWrite, r journal.Ending) {
	require.NoError(t, j.End(i, r))
	flush(t, j)
}

// bring gives a claimed write an outcome.
func bring(t require.TestingT, j *journal.Journal, i journal.PendingWrite, outcome effect.Outcome) {
	switch outcome {
	case journal.OutcomeSending:
	case journal.OutcomeClosed:
		end(t, j, i, journal.Ending{Outcome: effect.Unknown})
		entry := entryOf(t, j, i)
		entry.Ending = journal.Ending{Outcome: outcome}
		require.NoError(t, j.Record(context.Background(), []journal.Entry{entry}))
	default:
		end(t, j, i, journal.Ending{Outcome: outcome})
	}
}

// flush waits until earlier calls of End are recorded.
func flush(t require.TestingT, j *journal.Journal) {
	require.NoError(t, j.Record(context.Background(), nil))
}

func lookup(t testing.TB, j *journal.Journal, key string) journal.Entry {
	t.Helper()
	return entryOf(t, j, intent(key))
}

// entryOf returns the entry of a write. The journal must have one.
func entryOf(t require.TestingT, j *journal.Journal, i journal.PendingWrite) journal.Entry {
	entries, err := j.Lookup(context.Background(), i)
	require.NoError(t, err)
	require.NotEmpty(t, entries[0].Outcome)
	return entries[0]
}

func TestScopeOfAKey(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	_, mine := claim(t, j, intent("k"), false)
	require.True(t, mine)
	for _, change := range []func(*journal.PendingWrite){
		func(i *journal.PendingWrite) { i.Service += "/" },
		func(i *journal.PendingWrite) { i.Client = "d" },
		func(i *journal.PendingWrite) { i.Operation = "cancelTransfer" },
		func(i *journal.PendingWrite) { i.Key, i.Reference = "K", "another" },
		func(i *journal.PendingWrite) { i.Client, i.Operation = "ccreateAuto", "Transfer" },
	} {
		other := intent("k")
		change(&other)
		_, mine := claim(t, j, other, false)
		require.True(t, mine, "%+v", other)
	}
	same := intent("k")
	same.Fingerprint, same.Reference = "other", "other"
	_, mine = claim(t, j, same, false)
	require.False(t, mine, "the content is not part of the scope")
}

// Several programs can start at once when there is no journal yet. Each of them gets it.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "journal.db")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				j := scope(path)
				_, err := j.Claim(t.Context(), []journal.PendingWrite{intent("k")}, journal.First)
				if err := errors.Join(err, j.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	outcomes := []effect.Outcome{journal.OutcomeSending, effect.Done, effect.Refused,
		effect.NotSent, effect.Unknown, journal.OutcomeClosed}
	const each = 200 // together more than a page
	for _, outcome := range outcomes {
		for n := range each {
			made := intent(string(outcome) + string(rune('a'+n)))
			_, mine := claim(t, j, made, false)
			require.True(t, mine)
			bring(t, j, made, outcome)
		}
	}
	count := func(f journal.Filter) (n int) {
		require.NoError(t, j.Each(t.Context(), f, func(journal.Entry) error { n++; return nil }))
		return n
	}
	require.Equal(t, len(outcomes)*each, count(journal.Filter{}))
	require.Equal(t, 2*each, count(journal.Filter{Open: true}))
	require.Equal(t, 1, count(journal.Filter{Text: "r-donea"}))
	elsewhere := scope(j.Path)
	elsewhere.Service = "https://elsewhere.example.com"
	require.NoError(t, elsewhere.Each(t.Context(), journal.Filter{}, func(e journal.Entry) error {
		t.Errorf("%s belongs to another service", e.Key)
		return nil
	}))
	require.NoError(t, elsewhere.Close())
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes; the folder's access list decides")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "state", "journal.db")
	j := open(t, path)
	_, mine := claim(t, j, intent("k"), false)
	require.True(t, mine)
	for _, name := range []string{"journal.db", "journal.db-wal", "journal.db-shm"} {
		info, err := os.Stat(filepath.Join(dir, "state", name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
	require.NoError(t, j.Close())
	entries, err := os.ReadDir(path + ".owners")
	require.NoError(t, err)
	require.Empty(t, entries)

	require.NoError(t, os.Chmod(path, 0o644))
	require.ErrorIs(t, openError(t, path), journal.ErrUnsafe)
}
