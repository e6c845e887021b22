package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Two programs saw the same open write and did not find it at the service. The one that is late must not take what the
// other is sending for absent.
func TestAbsenceOfWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, late := open(t, path), open(t, path)
	begin(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), payments.Result{Outcome: payments.OutcomeUnknown}))
	require.NoError(t, j.Flush(t.Context()))
	seen := lookup(t, j, "k")
	seen.Result = payments.Result{Outcome: payments.OutcomeAbsent}

	require.NoError(t, j.Record(t.Context(), []payments.JournalEntry{seen}))
	_, mine := begin(t, j, intent("k"), false)
	require.True(t, mine)

	require.ErrorIs(t, late.Record(t.Context(), []payments.JournalEntry{seen}), journal.ErrMoved)
	entry, mine := begin(t, late, intent("k"), false)
	require.False(t, mine)
	require.True(t, entry.Busy)
}
