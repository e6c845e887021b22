package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

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
