package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
)

// A process that cannot lock its own file would not count as running, and others would take over its writes. So it
// sends nothing.
func TestAnOwnerHoldsItsFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "owners")
	first, second := &owner{folder: folder, name: "same"}, &owner{folder: folder, name: "same"}
	require.NoError(t, first.claim(t.Context()))
	require.ErrorIs(t, second.claim(t.Context()), securefile.ErrLockHeld)
	other := &owner{folder: folder, name: "other"}
	require.True(t, other.alive("same"))
	require.NoError(t, first.release())
	require.False(t, other.alive("same"))

	// An unlocked file belongs to a process that is gone. alive removes it.
	unlock, err := securefile.Lock(t.Context(), other.path("dead"), 0)
	require.NoError(t, err)
	require.True(t, other.alive("dead"))
	unlock()
	require.False(t, other.alive("dead"))
	require.NoFileExists(t, other.path("dead"))

	// A process whose file cannot be examined counts as running.
	require.NoError(t, second.claim(t.Context()))
	if os.Symlink(second.path("same"), other.path("strange")) == nil {
		require.True(t, other.alive("strange"))
	}
	require.NoError(t, second.release())
}
