package journal_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// rowsAhead are rows of a batch, enough of them to be put down by one statement and some by their own.
func rowsAhead() []payments.Intent {
	intents := make([]payments.Intent, 40)
	for i := range intents {
		intents[i] = payments.Intent{Service: "s", Operation: "op", Key: fmt.Sprint(i), BodyHash: "h", BatchID: "b", Reference: fmt.Sprint("r-", i)}
	}
	return intents
}

func entryOf(t *testing.T, j *journal.Journal, i payments.Intent) payments.JournalEntry {
	t.Helper()
	entry, found, err := j.Lookup(t.Context(), i)
	require.NoError(t, err)
	require.True(t, found)
	return entry
}

// Rows that were put down ahead and never left are given up at the end, but not what another program has found to be done
// meanwhile: it would be sent again.
func TestWhatAnotherFoundOutWhileARowWasAheadStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	rows := rowsAhead()
	require.NoError(t, j.Prepare(t.Context(), rows))
	for _, i := range []int{3, 39} {
		require.NoError(t, other.Record(t.Context(), []payments.JournalEntry{{Intent: rows[i],
			Result: payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}}}))
	}
	require.NoError(t, j.Close())
	for i, row := range rows {
		want := payments.OutcomeNotSent
		if i == 3 || i == 39 {
			want = payments.OutcomeDone
		}
		require.Equal(t, want, entryOf(t, other, row).Outcome, i)
	}
}

// Nor does an answer that tells less: the write that another program found is there.
func TestWhatIsDoneStaysSo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	rows := rowsAhead()
	require.NoError(t, j.Prepare(t.Context(), rows))
	for i, less := range []payments.Outcome{payments.OutcomeUnknown, payments.OutcomeRefused, payments.OutcomeNotSent} {
		_, mine := begin(t, j, rows[i], false)
		require.True(t, mine)
		require.NoError(t, other.Record(t.Context(), []payments.JournalEntry{{Intent: rows[i],
			Result: payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}}}))
		require.NoError(t, j.End(rows[i], payments.Result{Outcome: less, Problem: "p"}))
		require.NoError(t, j.Flush(t.Context()))
		entry := entryOf(t, other, rows[i])
		require.Equal(t, payments.OutcomeDone, entry.Outcome)
		require.Equal(t, "trf_1", entry.Subject)
	}
}

// A row that was put down ahead may leave long after: the machine slept, the service told everybody to wait. When it does,
// the time from which settling counts is put down anew.
func TestARowThatLeavesLongAfterItWasPutDown(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]time.Duration{"slow": 20 * time.Minute, "a clock that is set back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			now := start
			j, err := journal.Open(t.Context(), path, func() time.Time { return now })
			require.NoError(t, err)
			t.Cleanup(func() { _ = j.Close() })
			other := open(t, path)
			rows := rowsAhead()
			require.NoError(t, j.Prepare(t.Context(), rows))
			now = now.Add(passes)
			for _, i := range []int{0, 1, 35} {
				_, mine := begin(t, j, rows[i], false)
				require.True(t, mine)
				entry := entryOf(t, other, rows[i])
				require.Equal(t, now, entry.Changed)
				require.Equal(t, start, entry.Began, "a key's life counts from before")
				require.Equal(t, 1, entry.Attempts)
				require.True(t, entry.Busy)
				_, mine = begin(t, j, rows[i], false)
				require.False(t, mine)
				require.NoError(t, j.End(rows[i], payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}))
			}
			done := payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_2"}
			require.NoError(t, other.Record(t.Context(), []payments.JournalEntry{{Intent: rows[2], Result: done}}))
			entry, mine := begin(t, j, rows[2], true)
			require.False(t, mine, "another program has found it meanwhile")
			require.Equal(t, "trf_2", entry.Subject)
		})
	}
}

// One that cannot be put down again, because somebody stops waiting, does not leave, and is given up like the others.
func TestARowThatCannotBePutDownAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	now := start
	j, err := journal.Open(t.Context(), path, func() time.Time { return now })
	require.NoError(t, err)
	rows := rowsAhead()
	require.NoError(t, j.Prepare(t.Context(), rows))
	now = now.Add(time.Hour)
	lock, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = lock.Close() })
	other, err := lock.Conn(t.Context())
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, mine, err := j.Begin(stopped, rows[0], false)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, mine)
	_, err = other.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.Equal(t, payments.OutcomeNotSent, entryOf(t, open(t, path), rows[0]).Outcome)
}

// A row that is found before it leaves ends without being begun, and may not leave any more.
func TestARowThatEndsBeforeItLeaves(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, path)
	rows := rowsAhead()
	require.NoError(t, j.Prepare(t.Context(), rows))
	for _, i := range []int{0, 39} {
		require.NoError(t, j.End(rows[i], payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}))
		entry, mine := begin(t, j, rows[i], true)
		require.False(t, mine)
		require.Equal(t, "trf_1", entry.Subject)
	}
	require.NoError(t, j.Close())
	require.Equal(t, payments.OutcomeDone, entryOf(t, open(t, path), rows[0]).Outcome)
}
