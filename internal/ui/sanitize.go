package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sanitize makes foreign text harmless for one line of a terminal. Control characters (C0, DEL, C1, so
// also line breaks, tabs and every escape sequence), line and paragraph separators, bidirectional
// controls, zero-width and other invisible characters (Unicode Cf, Default_Ignorable_Code_Point,
// Variation_Selector) and invalid UTF-8 are written as escapes: \n, \x1b, \u202e, \U000e0041. They are
// shown, not dropped, so that an attack is seen.
//
// Two of them stay where an emoji needs them (Unicode TR51), because nothing can be hidden there: a
// variation selector that picks the text or emoji form of the symbol before it, and a zero-width joiner
// between two pictures, for as many pictures as the longest emoji has.
//
// Printable ASCII, the backslash included, is unchanged, so Sanitize is idempotent.
func Sanitize(s string) string { return sanitize(s, "") }

// SanitizeLines is Sanitize for text of several lines: it keeps \n.
func SanitizeLines(s string) string { return sanitize(s, "\n") }

// sanitize keeps those control characters that stand in keep, which is ASCII.
func sanitize(s, keep string) string {
	var b strings.Builder
	done := 0 // bytes of s that b has
	var before rune
	var joined emoji
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next, escaped := rune(0), ""
		if r >= zeroWidthJoiner {
			next, _ = utf8.DecodeRuneInString(s[i+size:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			escaped = fmt.Sprintf(`\x%02x`, s[i])
		case r == zeroWidthJoiner:
			if !joined.joins(next) {
				escaped = escapeRune(r)
			}
		case hidden(r) && !isKept(r, keep) && !choosesForm(before, r, next):
			escaped = escapeRune(r)
		}
		joined.add(r, escaped == "")
		if escaped != "" {
			b.WriteString(s[done:i] + escaped)
			done = i + size
		}
		before, i = r, i+size
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

func isKept(r rune, keep string) bool {
	return r < utf8.RuneSelf && strings.IndexByte(keep, byte(r)) >= 0
}

// choosesForm reports whether r selects the text (U+FE0E) or emoji (U+FE0F) form of the symbol prev, or begins a keycap
// such as 1️⃣ (Unicode TR51, 1.4.3). U+FFFD is a symbol too, but here it stands for an invalid byte, or for none.
func choosesForm(prev, r, next rune) bool {
	switch {
	case r != textForm && r != emojiForm || prev == utf8.RuneError:
		return false
	case next == 0x20E3:
		return prev >= '0' && prev <= '9' || prev == '#' || prev == '*'
	}
	return unicode.Is(unicode.So, prev) || isPictograph(prev)
}

const (
	zeroWidthJoiner = 0x200D
	textForm        = 0xFE0E
	emojiForm       = 0xFE0F
	// mostJoins is how many joiners the longest emoji has: two people who kiss, and families of four (Unicode RGI 16.0).
	mostJoins = 3
)

// An emoji is the latest picture of a text that is read, which a joiner may join to the next one.
type emoji struct {
	picture rune // 0: there is none
	joiners int  // before the picture
	isOpen  bool // a joiner follows the picture
}

// joins reports whether a zero-width joiner at this place joins the picture to the next character.
func (e *emoji) joins(next rune) bool {
	return !e.isOpen && e.joiners < mostJoins && isPictograph(e.picture) && isPictograph(next)
}

// isPictograph reports whether a character has Unicode's property Extended_Pictographic: before a joiner and a picture,
// only such a one is in the same grapheme cluster (Unicode TR29, GB11).
func isPictograph(r rune) bool {
	joined := string(r) + "\u200d\U0001f468"
	cluster, _ := ansi.FirstGraphemeCluster(joined, ansi.GraphemeWidth)
	return cluster == joined
}

// add reads the next character of the text.
func (e *emoji) add(r rune, isShown bool) {
	switch {
	case !isShown || unicode.IsMark(r) && r != emojiForm:
		*e = emoji{}
	case r == zeroWidthJoiner:
		e.isOpen = true
	case e.isOpen:
		*e = emoji{picture: r, joiners: e.joiners + 1}
	case r != emojiForm && !isSkinColor(r):
		*e = emoji{picture: r}
	}
}

// isSkinColor reports whether r colours the skin of the person before it.
func isSkinColor(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// hidden reports whether r acts on the terminal or on the reading order, or is not seen at all.
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
