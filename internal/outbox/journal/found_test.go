package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

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
