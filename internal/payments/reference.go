package payments

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ReferenceFault returns why a text cannot be a reference, or an empty string. Two references that look the same would
// be two payments. So each character must be visible and each text must have one form: plain spaces only, and Unicode
// normal form C. The normal form of an unassigned character is not known.
func ReferenceFault(text string) string {
	position := 0
	for i, r := range text {
		position++
		if fault := characterFault(r); fault != "" {
			if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
				return fmt.Sprintf("is not UTF-8 at character %d", position)
			}
			return fmt.Sprintf("has %s, %U, at character %d", fault, r, position)
		}
	}
	if strings.Trim(text, " ") != text {
		return "begins or ends with a space"
	}
	if normal := norm.NFC.String(text); normal != text {
		return fmt.Sprintf("is not in Unicode normal form C; write it as %q", normal)
	}
	return ""
}

// characterFault describes a character that a reference must not have, or returns an empty string.
func characterFault(r rune) string {
	switch {
	case r >= ' ' && r <= '~': // the usual ones, first for speed
		return ""
	case unicode.IsControl(r):
		return "a control character"
	case unicode.IsSpace(r):
		return "white space that is not a plain space"
	case isInvisible(r):
		return "an invisible character"
	case !unicode.IsGraphic(r):
		return "a private or unassigned character"
	case r == utf8.RuneError:
		return "a replacement for a character that was lost"
	}
	return ""
}

// isInvisible reports whether a character is invisible: of category Cf, default ignorable, such as variation selectors
// and Hangul fillers, or the empty Braille pattern.
func isInvisible(r rune) bool {
	const emptyBraille = '\u2800'
	return r == emptyBraille ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// QuoteReference quotes a text. Different texts never look the same: it escapes invisible characters, and all outside
// ASCII if the text is not in normal form C.
func QuoteReference(text string) string {
	if norm.NFC.IsNormalString(text) && !strings.ContainsFunc(text, isInvisible) {
		return strconv.Quote(text)
	}
	return strconv.QuoteToASCII(text)
}

// LooksLike reports whether texts differ at most in case, white space, invisible characters and Unicode normal form.
func LooksLike(a, b string) bool { return strings.EqualFold(visible(a), visible(b)) }

// visible returns a text in normal form C, without invisible characters and with single spaces.
func visible(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || isInvisible(r):
			return -1
		}
		return r
	}, text)
	return norm.NFC.String(strings.Join(strings.Fields(text), " "))
}
