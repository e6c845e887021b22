package doccheck_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/doccheck"
)

// TestStabilityPage checks that every promise in docs/STABILITY.md has a test.
func TestStabilityPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "STABILITY.md"))
	require.NoError(t, err)
	rows := doccheck.Rows(t, string(page), "| what you can rely on | for how long | test |")
	doccheck.Hold(t, filepath.Join("..", ".."), rows, func(string) bool { return false })
}
