//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of an owner that cannot be looked at it is not known whether it runs, and its writes are waited for.
func TestAnOwnerThatCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	o := newOwner(filepath.Join(t.TempDir(), FileName), "own", time.Second)
	require.NoError(t, o.claim(t.Context()))
	require.NoError(t, os.Symlink(o.path("own"), o.path("strange")))
	require.True(t, o.alive("strange"))
	require.NoError(t, o.release())
}
