//go:build unix

package journal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// An owner whose file cannot be examined counts as running.
func TestOwnerThatCannotBeExamined(t *testing.T) {
	t.Parallel()
	o := &owner{folder: t.TempDir(), name: "own"}
	require.NoError(t, o.claim(t.Context()))
	require.NoError(t, os.Symlink(o.path("own"), o.path("strange")))
	require.True(t, o.alive("strange"))
	require.NoError(t, o.release())
}
