package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/suggest"
)

func TestGuess(t *testing.T) {
	t.Parallel()
	candidates := []string{"base_url", "timeout", "output", "yes"}
	for word, want := range map[string]string{
		"base-ur": "base_url", "timeuot": "timeout", "Output": "output", "ouptu": "", "tmieout": "timeout", "yse": "", "ye": "yes", "foo": "", "": "", "out": "", strings.Repeat("x", 1e6): "",
	} {
		require.Equal(t, want, suggest.Guess(word, candidates), "%.20s", word)
	}
	require.Empty(t, suggest.Guess("anything", nil))

	flags := []string{"client-id", "secret-stdin", "no-save-secret", "idempotency-key"}
	for word, want := range map[string]string{
		"client-secret-stdin": "secret-stdin", "key": "idempotency-key", "Idempotency": "idempotency-key", "client": "client-id",
		"secret": "", "tency-key": "", "": "",
	} {
		require.Equal(t, want, suggest.Guess(word, flags), word)
	}
}

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
		require.Equal(t, want, suggest.To(word, candidates), "%.20s", word)
	}
	require.Equal(t, "one", suggest.To("two", []string{"one", "six"}), "the first one in a draw")
	require.Empty(t, suggest.To("anything", nil))
}
