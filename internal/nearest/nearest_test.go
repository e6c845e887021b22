package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/nearest"
)

func TestTo(t *testing.T) {
	t.Parallel()
	candidates := []string{"base_url", "timeout", "token"}
	for word, want := range map[string]string{
		"base-url":                     "base_url",
		"BASE_URL":                     "base_url",
		"bse_ur":                       "base_url",
		"timout":                       "timeout",
		"tokn":                         "token",
		"timeout":                      "timeout",
		"timeuot":                      "timeout",
		strings.Repeat("timeout", 1e6): "timeout", // in an instant, since only its beginning counts
	} {
		require.Equal(t, want, nearest.To(word, candidates), "%.20s", word)
	}
	require.Equal(t, "one", nearest.To("two", []string{"one", "six"}), "the first one in a draw")
	require.Empty(t, nearest.To("anything", nil))
}
