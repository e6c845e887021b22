package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReopen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	require.NoError(t, s.Close())
	s = openIn(t, folder)
	require.True(t, has(t, s, "k"))
	require.NoError(t, s.Close())
}
