// Package nearest guesses which of some names was meant by a misspelt one.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is how many bytes of a name count, which bounds the work that an absurdly long one costs.
const longest = 64

// To returns the candidate with the fewest edits between it and the word, the first one in a draw; empty when there are no
// candidates. Letter case and the choice between hyphen and underscore do not count: they are the commonest slips.
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

// Guess is To where the nearest candidate is near enough to be what was meant: where no more than a third of the word would have
// to change, or one letter. Else it is the one candidate that has more words, or fewer, at its beginning or its end; empty
// where there is none, or are several.
func Guess(word string, candidates []string) string {
	best := To(word, candidates)
	if word = fold(word); levenshtein.ComputeDistance(word, fold(best)) <= max(1, len(word)/3) {
		return best
	}
	best = ""
	for _, candidate := range candidates {
		if other := fold(candidate); !extends(word, other) && !extends(other, word) {
			continue
		}
		if best != "" {
			return ""
		}
		best = candidate
	}
	return best
}

// extends says whether a folded name is another one with more words before or behind it.
func extends(long, short string) bool {
	return short != "" && (strings.HasPrefix(long, short+"_") || strings.HasSuffix(long, "_"+short))
}

func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(name[:min(len(name), longest)]), "-", "_")
}
