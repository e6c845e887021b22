package ui

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letters are those that have no accent in Unicode, but for a person who types.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// Fold removes from a text what a search disregards: case and accents.
func Fold(text string) string {
	withoutAccent := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return letters.Replace(strings.Map(withoutAccent, norm.NFD.String(strings.ToLower(text))))
}
