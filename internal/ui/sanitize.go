package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes foreign text harmless for one line of a terminal. It writes these as escapes such as \n, \x1b, \u202e
// and \U000e0041: control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls, zero-width
// and other invisible characters (Unicode Cf, Default_Ignorable_Code_Point, Variation_Selector), and invalid UTF-8.
// They are shown, not dropped: an attack must be seen.
//
// Two of them stay in emoji (Unicode TR51): a variation selector after a symbol, and a zero-width joiner between two
// symbols.
//
// Printable ASCII, including the backslash, is unchanged, so Sanitize is idempotent.
func Sanitize(s string) string { return sanitize(s, "") }

// SanitizeLines is Sanitize for text of several lines: it keeps \n.
func SanitizeLines(s string) string { return sanitize(s, "\n") }

// sanitize keeps the control characters in keep, which is ASCII.
func sanitize(s, keep string) string {
	var b strings.Builder
	done := 0         // bytes of s that b has
	before := rune(0) // the previous character, unless it was escaped
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		escaped := ""
		switch {
		case r == utf8.RuneError && size == 1:
			escaped = fmt.Sprintf(`\x%02x`, s[i])
		case hidden(r) && !strings.ContainsRune(keep, r) && !isInEmoji(before, r, s[i+size:]):
			escaped = escapeRune(r)
		}
		if before = r; escaped != "" {
			b.WriteString(s[done:i] + escaped)
			done, before = i+size, 0
		}
		i += size
	}
	return b.String() + s[done:]
}

const (
	zeroWidthJoiner = 0x200D
	textForm        = 0xFE0E
	emojiForm       = 0xFE0F
)

// isInEmoji reports whether r chooses the form of the symbol before it, or joins two symbols to an emoji.
func isInEmoji(before, r rune, rest string) bool {
	switch r {
	case textForm, emojiForm:
		return unicode.Is(unicode.So, before)
	case zeroWidthJoiner:
		next, _ := utf8.DecodeRuneInString(rest)
		isSkinColor := before >= 0x1F3FB && before <= 0x1F3FF
		isSymbol := unicode.Is(unicode.So, before) || before == emojiForm || isSkinColor
		return isSymbol && next != utf8.RuneError && unicode.Is(unicode.So, next)
	}
	return false
}

// hidden reports whether r is invisible, or controls the terminal or the reading order.
func hidden(r rune) bool {
	switch {
	case r < 0x7F:
		return r < 0x20
	case r <= 0x9F:
		return true
	case r < 0xAD:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
