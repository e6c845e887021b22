package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// A process that does not hold the file of its own name would not count as running, and others would take over its
// writes. It sends nothing then.
func TestAnOwnerHoldsItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), FileName)
	first, second := newOwner(path, "same", time.Second), newOwner(path, "same", time.Second)
	require.NoError(t, first.claim(t.Context()))
	require.ErrorIs(t, second.claim(t.Context()), ErrLocked)
	require.NoError(t, first.release())
	require.NoError(t, second.claim(t.Context()))

	// It is seen by others until it lets go.
	other := newOwner(path, "other", time.Second)
	require.True(t, other.alive("same"))
	require.NoError(t, second.release())
	require.False(t, other.alive("same"))

	// An unlocked file belongs to a process that is gone. The next claim removes it.
	dead := flock.New(other.path("dead"))
	locked, err := dead.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	require.True(t, other.alive("dead"))
	require.NoError(t, dead.Unlock())
	require.FileExists(t, other.path("dead"))
	require.False(t, other.alive("dead"))
	require.NoError(t, other.claim(t.Context()))
	require.NoFileExists(t, other.path("dead"))
	require.NoError(t, other.release())
}
