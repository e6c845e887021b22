// Package suggest finds the name that was most likely meant by a misspelt one.
package suggest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is how many bytes of a name are compared, which bounds the work for a very long one.
const longest = 64

// To returns the candidate with the smallest edit distance to the word, the first of several, or an empty string if
// there are no candidates. Letter case is ignored, and so is the difference between hyphen and underscore.
func To(word string, candidates []string) string {
	word = fold(word)
	best, fewest := "", -1
	for _, candidate := range candidates {
		if edits := levenshtein.ComputeDistance(word, fold(candidate)); fewest < 0 || edits < fewest {
			best, fewest = candidate, edits
		}
	}
	return best
}

// Guess returns what To returns if that is close enough: if at most about a third of the letters would have to change.
// Otherwise it returns an empty string.
func Guess(word string, candidates []string) string {
	best := To(word, candidates)
	if word = fold(word); levenshtein.ComputeDistance(word, fold(best)) <= max(1, (len(word)+1)/3) {
		return best
	}
	return ""
}

func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(name[:min(len(name), longest)]), "-", "_")
}
