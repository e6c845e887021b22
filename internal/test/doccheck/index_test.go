package doccheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryDocumentIsInTheIndex holds docs/README.md to the documents that there are.
func TestEveryDocumentIsInTheIndex(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(root, "docs")
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	documents, err := filepath.Glob(filepath.Join(folder, "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(documents), 20)
	for _, document := range append(documents, "recipes/README.md", "NOTICES") {
		name, err := filepath.Rel(folder, document)
		if err != nil { // it is relative
			name = document
		}
		if name == "README.md" {
			continue
		}
		require.Contains(t, string(index), "]("+filepath.ToSlash(name)+") |", "docs/README.md has no row for %s", name)
	}
}

// mostLines is how long the README may be: what does not fit into it belongs into docs.
const mostLines = 150

func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(readme), "\n"), mostLines)
}
