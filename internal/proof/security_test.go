package proof_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/proof"
)

// Every attack that docs/SECURITY.md tells of has its test, and each test that is there for an attack is told of.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "SECURITY.md"))
	require.NoError(t, err)
	rows := proof.Rows(t, string(page), "| attack | what happens | test |")
	require.Greater(t, len(rows), 60)
	attacks := []string{
		"client/attacks_test.go", "client/secrets_test.go", "server/attacks_test.go", "server/apart_test.go",
		"app/crash_test.go", "app/serve_guard_test.go", "script/secrets_test.go", "script/core_linux_test.go",
	}
	proof.Hold(t, "..", rows, func(file string) bool { return slices.Contains(attacks, file) })
	for _, file := range attacks {
		require.True(t, slices.ContainsFunc(rows, func(row proof.Row) bool {
			return slices.ContainsFunc(row.Tests, func(test proof.Test) bool { return test.File == file })
		}), "no row names a test of %s", file)
	}
}
