package repository

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/zip"
)

// TestModuleCanBeFetched holds every file to what Go takes in a module: one that has a name that Windows reserves, or differs
// from another in case alone, is enough for `go install` to refuse all of it.
func TestModuleCanBeFetched(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	files, err := zip.CheckDir(root)
	require.NoError(t, err)
	require.NotEmpty(t, files.Valid)
	require.Empty(t, files.Invalid)
}
