// Package textutil decodes texts, guesses misspelt names and compiles regular expressions at their first use.
package textutil

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxLength is how many bytes of a name are compared, which bounds the work for a very long one.
const maxLength = 64

// Guess returns the first of the candidates with the smallest edit distance to the word. It returns "" if more than
// about a third of the letters differ. It ignores letter case, and the difference between hyphen and underscore.
func Guess(word string, candidates []string) string {
	word = fold(word)
	best, fewest := "", max(1, (len(word)+1)/3)+1
	for _, candidate := range candidates {
		if edits := levenshtein.ComputeDistance(word, fold(candidate)); edits < fewest {
			best, fewest = candidate, edits
		}
	}
	return best
}

// Typo returns the first candidate within two edits of a word, or "". It ignores letter case, hyphens and underscores.
func Typo(word string, candidates []string) string {
	const most = 2
	plain := func(text string) string { return strings.ReplaceAll(fold(text), "_", "") }
	for _, candidate := range candidates {
		if levenshtein.ComputeDistance(plain(word), plain(candidate)) <= most {
			return candidate
		}
	}
	return ""
}

func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(name[:min(len(name), maxLength)]), "-", "_")
}
