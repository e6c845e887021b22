package ui

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// mostMarks is how many combining marks a character may have. Writing systems need up to four. More would cover the
// lines above and below.
const mostMarks = 4

// CellWidth returns the display width, in columns, of text from Fit, Cut or Wrap. Terminals differ: a joined emoji may
// have two columns, or those of all its parts. CellWidth returns the largest, so no line is wider than the screen.
func CellWidth(text string) int {
	if isPlain(text) {
		return len(text)
	}
	return max(ansi.StringWidthWc(text), ansi.StringWidth(text))
}

// isPlain reports whether a text is printable ASCII: each byte has one column.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// visible returns foreign text for a terminal: harmless, composed, because some terminals cannot combine accents, and
// of a known width. So it drops the selectors between text and emoji, which have different widths. It escapes combining
// marks beyond mostMarks, and those without a character before them.
//
// A terminal without UTF-8 gets ASCII: other bytes could be control characters there.
func (f style) visible(text string) string {
	if isPlain(text) {
		return text
	}
	text = norm.NFC.String(Sanitize(text))
	if !f.utf8 {
		return ascii(text)
	}
	var b strings.Builder
	marks := mostMarks // of the previous character; a text begins without one
	for _, r := range text {
		switch {
		case r == textForm || r == emojiForm:
			continue
		case r < utf8.RuneSelf || !unicode.In(r, unicode.Mn, unicode.Me) && ansi.StringWidthWc(string(r)) > 0:
			marks = 0
		case r == zeroWidthJoiner: // after Sanitize it is between two symbols
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

// ascii escapes everything but ASCII.
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

// An asciiTerminal is a terminal without UTF-8. There the bytes 0x80 to 0x9f, which are common in UTF-8, are control
// characters. A foreign text could take over the terminal with them.
type asciiTerminal struct{ io.Writer }

// Write implements io.Writer.
func (t asciiTerminal) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.Writer, ascii(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
