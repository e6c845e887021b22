package client

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A finder finds what looking for each word finds, and nothing else.
func TestTheFinder(t *testing.T) {
	t.Parallel()
	letters := rapid.SampledFrom([]byte("abcABC%0\x00\xff\\"))
	rapid.Check(t, func(r *rapid.T) {
		least := rapid.IntRange(1, 12).Draw(r, "least")
		var words []string
		for range rapid.IntRange(0, 6).Draw(r, "count") {
			words = append(words, string(rapid.SliceOfN(letters, least, least+8).Draw(r, "word")))
		}
		if rapid.IntRange(0, 20).Draw(r, "huge") == 0 {
			words = append(words, strings.Repeat("ab", 400))
		}
		text := string(rapid.SliceOfN(letters, 0, 60).Draw(r, "text"))
		if len(words) > 0 && rapid.Bool().Draw(r, "with") {
			at := rapid.IntRange(0, len(text)).Draw(r, "at")
			word := rapid.SampledFrom(words).Draw(r, "which")
			cut := rapid.SampledFrom([]int{0, 0, 1}).Draw(r, "cut")
			text = text[:at] + word[:len(word)-cut] + text[at:]
		}
		want := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
		f := newFinder(words)
		require.Equal(r, want, holds(f, text), "%q in %q", words, text)
		require.Equal(r, want, holds(f, []byte(text)))
	})
	require.False(t, holds(newFinder(nil), "anything"))
}
