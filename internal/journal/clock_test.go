package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Go compares moments by a clock that stands still while a machine sleeps and that nobody can set. What was put down ahead of
// an hour of sleep would count as put down just now, and settling would take it for absent as soon as it has left.
func TestMomentsAreOfTheWallClock(t *testing.T) {
	t.Parallel()
	j, err := Open(t.Context(), filepath.Join(t.TempDir(), FileName), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	require.NotContains(t, j.now().String(), "m=", "time.Time.String tells a reading of the other clock so")
}
