package journal_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

func TestReferenceKeyIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	key := journal.ReferenceKey("createAutoTransfer", "invoice-42")
	require.Equal(t, "payctl-1c008b5c40dfadd82f17a001668a4049", key, "another hash would pay every open reference again")
	require.NotEqual(t, key, journal.ReferenceKey("createAutoTransfer", "invoice-43"))
	require.NotEqual(t, key, journal.ReferenceKey("cancelTransfer", "invoice-42"))
}

// End refuses an outcome that no write can end with, so it cannot fail the transaction of other writes.
func TestEndWithoutAnOutcome(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	for _, outcome := range []effect.Outcome{"", journal.OutcomeSending, journal.OutcomeClosed} {
		require.Error(t, j.End(intent("k"), journal.Ending{Outcome: outcome}))
	}
	end(t, j, intent("k"), journal.Ending{Outcome: effect.Done})
	require.Equal(t, effect.Done, lookup(t, j, "k").Outcome)
}

func renew(t *testing.T, j *journal.Journal, i journal.PendingWrite) (mine bool) {
	t.Helper()
	mine, err := j.Renew(t.Context(), i)
	require.NoError(t, err)
	return mine
}

// A row may leave long after it was claimed: the machine slept, or the service asked to wait. Then Changed is recorded
// again, and Began stays.
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
			rows := []journal.PendingWrite{intent("a"), intent("b")}
			_, err := j.Claim(t.Context(), rows, journal.First)
			require.NoError(t, err)
			now = now.Add(passes)
			require.True(t, renew(t, j, rows[0]))
			entry := entryOf(t, other, rows[0])
			require.Equal(t, now, entry.Changed)
			require.Equal(t, start, entry.Began, "the lifetime of a key counts from the first attempt")
			require.Equal(t, 1, entry.Attempts)
			require.True(t, entry.Busy)
			done := journal.Ending{Outcome: effect.Done, Subject: "trf_2"}
			require.NoError(t, other.End(rows[1], done))
			require.NoError(t, other.Record(t.Context(), nil))
			require.False(t, renew(t, j, rows[1]), "another program has found its effect")
			entry, mine := claim(t, j, rows[1], true)
			require.False(t, mine)
			require.Equal(t, "trf_2", entry.Subject)
		})
	}
}

// An id from an answer stays with the write when it is sent again. It is the effect of one write only.
func TestAnIDIsEvidence(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	shown := map[string]string{"reference": "R"}
	claim(t, j, intent("a"), false)
	end(t, j, intent("a"), journal.Ending{Outcome: effect.Unknown, Subject: "1", Shown: shown})
	require.Equal(t, shown, lookup(t, j, "a").Shown)
	claim(t, j, intent("b"), false)
	other, err := j.EndAlone(t.Context(), intent("b"), journal.Ending{Outcome: effect.Done, Subject: "1"})
	require.NoError(t, err)
	require.Equal(t, "a", other.Key)
	require.Equal(t, effect.Unknown, lookup(t, j, "b").Outcome)
	claim(t, j, intent("c"), false)
	other, err = j.EndAlone(t.Context(), intent("c"), journal.Ending{Outcome: effect.Done, Subject: "2"})
	require.NoError(t, err)
	require.Nil(t, other)

	require.NoError(t, j.Close())
	j = open(t, j.Path)
	_, mine := claim(t, j, intent("a"), true)
	require.True(t, mine)
	require.Equal(t, "1", lookup(t, j, "a").Subject)
	require.NoError(t, j.Close())
	j = open(t, j.Path)
	claims, err := j.Claim(t.Context(), []journal.PendingWrite{intent("a")}, journal.Anew)
	require.NoError(t, err)
	require.True(t, claims[0].Mine)
	require.Equal(t, 3, lookup(t, j, "a").Attempts)
	end(t, j, intent("a"), journal.Ending{Outcome: effect.NotSent})
	require.Equal(t, "1", lookup(t, j, "a").Subject, "it stays until another answer names one")
	_, err = j.Claim(t.Context(), []journal.PendingWrite{intent("c")}, journal.Anew)
	require.NoError(t, err)
	end(t, j, intent("c"), journal.Ending{Outcome: effect.NotSent})
	require.Equal(t, effect.Unknown, lookup(t, j, "c").Outcome, "it was done before")
	require.Equal(t, "2", lookup(t, j, "c").Subject)
}

// Two programs have read the same open write. The later one must not close it while the other sends it.
func TestClosingWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, late := open(t, path), open(t, path)
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Ending{Outcome: effect.Unknown}))
	require.NoError(t, j.Record(t.Context(), nil))
	seen := lookup(t, j, "k")
	seen.Ending = journal.Ending{Outcome: journal.OutcomeClosed}

	require.NoError(t, j.Record(t.Context(), []journal.Entry{seen}))
	claims, err := j.Claim(t.Context(), []journal.PendingWrite{intent("k")}, journal.Anew)
	require.NoError(t, err)
	require.True(t, claims[0].Mine)

	require.ErrorIs(t, late.Record(t.Context(), []journal.Entry{seen}), journal.ErrMoved)
	entry, mine := claim(t, late, intent("k"), false)
	require.False(t, mine)
	require.True(t, entry.Busy)
}
