// Package golden compares what tests produce with files.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether files are to be rewritten.
func Updating() bool { return *update }

// Require compares a text with a file below testdata, which -update rewrites. Line ends may be those of Windows, as Git
// writes them there.
func Require(t testing.TB, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(file))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	require.Equal(t, string(want), string(got), "if this is meant: go test -run %s -update", t.Name())
}
