package config

import "strings"

// nearest returns the candidate with the smallest edit distance to word, the first one in a draw.
// Case and the choice between hyphen and underscore do not count: they are the commonest slips.
func nearest(word string, candidates []string) string {
	word = foldKey(word)
	best, distance := "", -1
	for _, candidate := range candidates {
		if d := editDistance(word, foldKey(candidate)); distance < 0 || d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// foldKey also cuts the word, so that the distance of an absurdly long one stays cheap to compute.
func foldKey(s string) string {
	const longest = 64
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// editDistance is the Levenshtein distance of two strings in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
