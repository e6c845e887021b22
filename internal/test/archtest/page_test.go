package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArchitecturePage compares docs/ARCHITECTURE.md with the code: the page has a row for every package
// but the commands, and every function that it names in the course of a request is declared in the file that it names.
func TestArchitecturePage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	require.NoError(t, err)

	var described []string
	for _, row := range regexp.MustCompile("(?m)^\\| `internal/([a-z0-9/]+)` \\|").FindAllSubmatch(page, -1) {
		described = append(described, string(row[1]))
	}
	for name := range packages(t) {
		if strings.HasPrefix(name, "cli/") {
			continue // the row of internal/cli describes the commands
		}
		require.Contains(t, described, name, "the page has no row for internal/%s", name)
	}
	for _, name := range described {
		require.DirExists(t, filepath.Join(root, "internal", filepath.FromSlash(name)))
	}

	steps := regexp.MustCompile("(?m)^\\| `([a-z_0-9/]+\\.go)` \\| `(\\w+)` \\|").FindAllSubmatch(page, -1)
	require.Greater(t, len(steps), 10)
	for _, step := range steps {
		file, function := string(step[1]), string(step[2])
		require.Contains(t, functions(t, filepath.Join(root, "internal", filepath.FromSlash(file))), function, "%s", file)
	}
}

// functions returns the names of a file's functions and methods.
func functions(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && !slices.Contains(names, function.Name.Name) {
			names = append(names, function.Name.Name)
		}
	}
	return names
}
