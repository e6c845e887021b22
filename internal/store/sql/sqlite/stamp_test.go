package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// A stamp is another one once a commit has returned, also that of another process, and stays the same until then. While
// it cannot be known, there is none.
func TestStamp(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, other := openIn(t, folder), openIn(t, folder)
	defer func() { require.NoError(t, other.Close()) }()
	defer func() { require.NoError(t, s.Close()) }()

	stamp := s.Stamp()
	require.NotZero(t, stamp)
	for _, writer := range []store.Store{s, other, s} {
		require.NoError(t, writer.Update(t.Context(), world, put("k")))
		next := s.Stamp()
		require.NotZero(t, next)
		require.NotEqual(t, stamp, next)
		require.False(t, has(t, s, "none"))
		require.Equal(t, next, s.Stamp(), "a view has changed it")
		stamp = next
	}

	require.NoError(t, other.BeginCommit())
	require.Zero(t, s.Stamp(), "while a commit is under way")
	require.NoError(t, s.Update(t.Context(), world, put("l")))
	require.Zero(t, s.Stamp(), "while another one is")
	require.NoError(t, other.Update(t.Context(), world, put("m")))
	require.True(t, has(t, s, "m"))
	require.NotZero(t, s.Stamp())

	state, err := os.OpenFile(filepath.Join(folder, "payctl.state"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = state.WriteString("part of a slot")
	require.NoError(t, err)
	require.NoError(t, state.Close())
	require.Zero(t, s.Stamp(), "with a slot that is not whole")
	require.NoError(t, other.Update(t.Context(), world, put("n")))
	require.True(t, has(t, s, "n"))
}
