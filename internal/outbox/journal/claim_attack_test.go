package journal_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// batchRows are rows of a batch.
func batchRows() []journal.Intent {
	intents := make([]journal.Intent, 40)
	for i := range intents {
		intents[i] = journal.Intent{Operation: "op", Key: fmt.Sprint(i), Fingerprint: "h", BatchID: "b", Reference: fmt.Sprint("r-", i)}
	}
	return intents
}

// claimRows claims rows of a batch, which are all new.
func claimRows(t *testing.T, j *journal.Journal) []journal.Intent {
	t.Helper()
	rows := batchRows()
	claims, err := j.Claim(t.Context(), rows, false)
	require.NoError(t, err)
	for _, c := range claims {
		require.True(t, c.Mine)
	}
	return rows
}

// renew renews the claim of a write.
func renew(t *testing.T, j *journal.Journal, i journal.Intent) (mine bool) {
	t.Helper()
	mine, err := j.Renew(t.Context(), i)
	require.NoError(t, err)
	return mine
}

// Rows that are released become not sent, but not a row that another program has found to be done: it would be sent
// again.
func TestClaimedRowThatAnotherProgramFinds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	rows := claimRows(t, j)
	for _, i := range []int{3, 39} {
		require.NoError(t, other.Record(t.Context(), []journal.Entry{{Intent: rows[i],
			Result: journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}}}))
	}
	require.NoError(t, j.Release(rows...))
	require.NoError(t, j.Close())
	for i, row := range rows {
		want := journal.OutcomeNotSent
		if i == 3 || i == 39 {
			want = journal.OutcomeDone
		}
		require.Equal(t, want, entryOf(t, other, row).Outcome, i)
	}
}

// A row may leave long after it was claimed, because the machine slept or the service asked to wait. Then the time from
// which resolving counts is recorded again.
func TestClaimedRowThatLeavesLate(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]time.Duration{"slow": 20 * time.Minute, "a clock that is set back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			now := start
			j := scope(path)
			j.Now = func() time.Time { return now }
			t.Cleanup(func() { _ = j.Close() })
			other := open(t, path)
			rows := claimRows(t, j)
			now = now.Add(passes)
			for _, i := range []int{0, 1, 35} {
				require.True(t, renew(t, j, rows[i]))
				entry := entryOf(t, other, rows[i])
				require.Equal(t, now, entry.Changed)
				require.Equal(t, start, entry.Began, "a key's life counts from before")
				require.Equal(t, 1, entry.Attempts)
				require.True(t, entry.Busy)
				_, mine := claim(t, j, rows[i], true)
				require.False(t, mine)
				require.NoError(t, j.End(rows[i], journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}))
			}
			done := journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_2"}
			require.NoError(t, other.Record(t.Context(), []journal.Entry{{Intent: rows[2], Result: done}}))
			require.False(t, renew(t, j, rows[2]), "another program has found it meanwhile")
			entry, mine := claim(t, j, rows[2], true)
			require.False(t, mine)
			require.Equal(t, "trf_2", entry.Subject)
		})
	}
}
