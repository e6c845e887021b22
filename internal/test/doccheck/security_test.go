package doccheck_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/doccheck"
)

// TestSecurityPage checks that every attack in docs/SECURITY.md has a test, and that every test of an attack has a row.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "SECURITY.md"))
	require.NoError(t, err)
	rows := doccheck.Rows(t, string(page), "| attack | what happens | test |")
	require.Greater(t, len(rows), 60)
	attacks := []string{
		"client/attacks_test.go", "client/secrets_test.go", "client/redact/secrets_test.go", "server/attacks_test.go", "server/isolation_test.go",
		"app/crash_test.go", "app/serve_listen_test.go", "test/e2e/secrets_test.go", "test/e2e/core_linux_test.go",
	}
	doccheck.Hold(t, filepath.Join("..", ".."), rows, func(file string) bool { return slices.Contains(attacks, file) })
	for _, file := range attacks {
		require.True(t, slices.ContainsFunc(rows, func(row doccheck.Row) bool {
			return slices.ContainsFunc(row.Tests, func(test doccheck.Test) bool { return test.File == file })
		}), "no row names a test of %s", file)
	}
}
