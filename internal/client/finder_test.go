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

// Words of any length beside each other, of two letters so that nearly every place looks like the beginning of one, and texts
// that end in the middle of one.
func TestTheFinderAmongWordsOfAnyLength(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		letters := rapid.SampledFrom([]byte("ab"))
		word := rapid.OneOf(
			rapid.SliceOfN(letters, 1, 2), rapid.SliceOfN(letters, 2, 5), rapid.SliceOfN(letters, 250, 260), rapid.SliceOfN(letters, 500, 520),
			rapid.SliceOfN(rapid.Byte(), 2, 9), // the hash of two bytes may be that of two others
		)
		least := rapid.SampledFrom([]int{1, 2, 3, 250, 255, 256, 257}).Draw(r, "least")
		var words []string
		for range rapid.IntRange(1, 5).Draw(r, "count") {
			if drawn := word.Draw(r, "word"); len(drawn) >= least {
				words = append(words, string(drawn))
			}
		}
		text := rapid.SliceOfN(letters, 0, 30).Draw(r, "before")
		for range rapid.IntRange(0, 3).Draw(r, "parts") {
			if len(words) > 0 {
				part := rapid.SampledFrom(words).Draw(r, "part")
				from := rapid.SampledFrom([]int{0, 0, 1, len(part) / 2}).Draw(r, "from")
				text = append(text, part[from:len(part)-rapid.IntRange(0, 1).Draw(r, "cut")*min(1, len(part)-from)]...)
			}
			text = append(text, rapid.SliceOfN(letters, 0, 3).Draw(r, "between")...)
		}
		want := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(string(text), word) })
		f := newFinder(words)
		require.Equal(r, want, holds(f, text), "%q in %q", words, text)
		require.Equal(r, want, holds(f, string(text)))
	})
}
