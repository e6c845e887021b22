package ui

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// mostMarks is how many combining marks a character may have. Writing systems need up to four; more would be drawn over
// the lines above and below.
const mostMarks = 4

// CellWidth returns the display width of text that Fit, Cut or Wrap has returned, in columns. Terminals measure some
// characters differently: an emoji that is joined from several may have the two columns of one, or those of all its
// parts. This is the largest of these widths, so that no line gets wider than the screen.
func CellWidth(text string) int {
	if isPlain(text) {
		return len(text)
	}
	return max(ansi.StringWidthWc(text), ansi.StringWidth(text))
}

// isPlain reports whether a text consists of printable ASCII, so that each byte has one column.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// visible is foreign text as a terminal draws it: harmless; composed, because not every terminal draws accents that are
// characters of their own; and of a width that can be told. So without the selectors between the text and the emoji
// form of a symbol, which have different widths, and with no more combining marks than mostMarks: the others, and those
// without a character before them, are written as escapes.
//
// A terminal that does not show UTF-8 gets ASCII: the other bytes could be control characters there.
func (f style) visible(text string) string {
	if isPlain(text) {
		return text
	}
	text = norm.NFC.String(Sanitize(text))
	if !f.utf8 {
		return ascii(text)
	}
	var b strings.Builder
	marks := mostMarks // of the character before; a text begins without one
	for _, r := range text {
		switch {
		case r == textForm || r == emojiForm:
			continue
		case r < utf8.RuneSelf || !unicode.In(r, unicode.Mn, unicode.Me) && ansi.StringWidthWc(string(r)) > 0:
			marks = 0
		case r == zeroWidthJoiner: // sanitised, so that it is between two symbols
		case marks == mostMarks:
			b.WriteString(escapeRune(r))
			continue
		default:
			marks++
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ascii writes what is not ASCII as escapes.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(escapeRune(r))
		}
	}
	return b.String()
}

// cut makes foreign text visible and cuts it to a display width.
func (f style) cut(text string, width int) string {
	text = f.visible(text)
	if CellWidth(text) <= width {
		return text
	}
	mark := f.ellipsis()
	room := width - CellWidth(mark)
	if room < 0 {
		return ""
	}
	end := 0
	for end < len(text) {
		cluster, _ := ansi.FirstGraphemeCluster(text[end:], ansi.WcWidth)
		if room -= CellWidth(cluster); room < 0 {
			break
		}
		end += len(cluster)
	}
	return text[:end] + mark
}

// An asciiTerminal is a terminal that may not read UTF-8. There the bytes 0x80 to 0x9f, which most characters have in
// UTF-8, are control characters, with which a foreign text could take over the terminal.
type asciiTerminal struct{ io.Writer }

// Write implements io.Writer.
func (t asciiTerminal) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.Writer, ascii(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
