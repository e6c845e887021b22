package ui

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letters are those with an accent for a person, but not in Unicode.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// Fold removes case and accents from a text, for a search.
func Fold(text string) string {
	withoutAccent := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return letters.Replace(strings.Map(withoutAccent, norm.NFD.String(strings.ToLower(text))))
}
