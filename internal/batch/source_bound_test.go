package batch

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCopiesAreBounded: what comes through a pipe may have no end, and the disk has one.
func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, err := spool("rows", strings.NewReader("12345"), dir, 5)
	require.NoError(t, err)
	require.NoError(t, source.Close())
	_, err = spool("rows", strings.NewReader("123456"), dir, 5)
	require.ErrorIs(t, err, ErrUnusable)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
