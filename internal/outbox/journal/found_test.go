package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// What is found at the service may have another content than the entry, because another machine sent it under the same
// key. It is recorded with its own content, so that it does not count as what was asked for here.
func TestFoundWriteIsRecordedWithItsContent(t *testing.T) {
	t.Parallel()
	for _, outcome := range []journal.Outcome{journal.OutcomeRefused, journal.OutcomeNotSent, journal.OutcomeUnknown} {
		j := open(t, filepath.Join(t.TempDir(), "journal.db"))
		claim(t, j, intent("k"), false)
		require.NoError(t, j.End(intent("k"), journal.Result{Outcome: outcome}))
		require.NoError(t, j.Record(t.Context(), nil))

		theirs := journal.Entry{Intent: intent("k"), Result: journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}}
		theirs.Fingerprint = "of another content"
		require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
		entry := lookup(t, j, "k")
		require.Equal(t, journal.OutcomeDone, entry.Outcome)
		require.Equal(t, "trf_1", entry.Subject)
		require.Equal(t, "of another content", entry.Fingerprint, "after %s", outcome)
	}
}

// What was done here, with its own content, is not confused with another transfer that has the same reference.
func TestFoundWriteDoesNotReplaceOneThatIsDone(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_2", World: "w"}))
	require.NoError(t, j.Record(t.Context(), nil))

	theirs := journal.Entry{Intent: intent("k"), Result: journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1", World: "w"}}
	theirs.Intent.World = "w"
	theirs.Fingerprint = "of another content"
	require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
	entry := lookup(t, j, "k")
	require.Equal(t, "trf_2", entry.Subject)
	require.Equal(t, intent("k").Fingerprint, entry.Fingerprint)

	// In another world nothing of it is left.
	theirs.Intent.World, theirs.Result.World = "a new one", "a new one"
	require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
	entry = lookup(t, j, "k")
	require.Equal(t, "trf_1", entry.Subject)
	require.Equal(t, "of another content", entry.Fingerprint)
}

// Two programs have read the same open write and did not find it at the service. The later one must not record it as
// absent while the other sends it.
func TestAbsenceOfWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, late := open(t, path), open(t, path)
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeUnknown}))
	require.NoError(t, j.Record(t.Context(), nil))
	seen := lookup(t, j, "k")
	seen.Result = journal.Result{Outcome: journal.OutcomeAbsent}

	require.NoError(t, j.Record(t.Context(), []journal.Entry{seen}))
	_, mine := claim(t, j, intent("k"), false)
	require.True(t, mine)

	require.ErrorIs(t, late.Record(t.Context(), []journal.Entry{seen}), journal.ErrMoved)
	entry, mine := claim(t, late, intent("k"), false)
	require.False(t, mine)
	require.True(t, entry.Busy)
}
