// Package textutil decodes texts, guesses misspelt names and compiles regular expressions at their first use.
package textutil

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is how many bytes of a name are compared, which bounds the work for a very long one.
const longest = 64

// Guess returns the candidate with the smallest edit distance to the word, the first of several, if at most about a third
// of the letters would have to change; otherwise an empty string. Letter case is ignored, and so is the difference
// between hyphen and underscore.
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

// Typo returns the first candidate that is within two letters of a word, letter case and separators aside; empty if none is.
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
	return strings.ReplaceAll(strings.ToLower(name[:min(len(name), longest)]), "-", "_")
}
