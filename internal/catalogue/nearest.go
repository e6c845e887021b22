package catalogue

import "strings"

// longestGuess bounds the work that a guess at a misspelt name costs.
const longestGuess = 64

// nearest is the candidate with the fewest edits between it and the word, the first of equals; letter case does not
// count.
func nearest(word string, candidates []string) string {
	best, fewest := "", -1
	for _, candidate := range candidates {
		if n := edits(fold(word), fold(candidate)); fewest < 0 || n < fewest {
			best, fewest = candidate, n
		}
	}
	return best
}

func fold(s string) string { return strings.ToLower(s[:min(len(s), longestGuess)]) }

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
