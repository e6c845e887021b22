package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether files are to be rewritten.
func Updating() bool { return *update }

// RequireGolden compares a text with a file below testdata, which -update rewrites. Line ends may be those of Windows,
// as Git writes them there.
func RequireGolden(t testing.TB, file string, got []byte) {
	t.Helper()
	want := readGolden(t, filepath.Join("testdata", filepath.FromSlash(file)), got)
	require.Equal(t, want, string(got), "if this is meant: go test -run %s -update", t.Name())
}

// readGolden returns the content of a file, into which it writes a text before if that is wanted.
func readGolden(t testing.TB, path string, got []byte) string {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(content), "\r\n", "\n")
}
