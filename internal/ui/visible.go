package ui

import (
	"io"
	"slices"
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
// parts, and marks of Indian and Thai scripts their own column or none. This is the largest of these widths, so that no
// line gets wider than the screen; what follows such a character on the line may stand further left than in other
// lines.
func CellWidth(text string) int {
	if isPlain(text) {
		return len(text)
	}
	return ansi.StringWidthWc(text)
}

// text is foreign text as it is drawn: harmless, and on a terminal also visible.
func (f surface) text(text string) string {
	if f.tty {
		return f.visible(text)
	}
	return Sanitize(text)
}

// visible is foreign text as a terminal draws it: harmless; composed, because not every terminal draws accents that are
// characters of their own; and of a width that can be told. So without the selectors between the text and the emoji
// form of a symbol, which have different widths, and with no more combining marks than mostMarks. Marks above that, and
// those without a character before them, are written as escapes, and so are halves of flags.
//
// A terminal that does not show UTF-8 gets ASCII: the other bytes could be control characters there.
func (f style) visible(text string) string {
	if isPlain(text) {
		return text
	}
	text = Sanitize(escapeStray(norm.NFC.String(text)))
	if !f.utf8 {
		return spell(text)
	}
	return withoutForms.Replace(text)
}

var withoutForms = strings.NewReplacer(string(rune(textForm)), "", string(rune(emojiForm)), "")

// escapeStray writes combining marks above mostMarks, those without a character before them and halves of flags as
// escapes. What is harmful it leaves to Sanitize.
func escapeStray(text string) string {
	var b strings.Builder
	done := 0 // bytes of the text that b has
	isBase, marks, isHalf := false, 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		start, isStray := i, false
		i += size
		wasHalf := isHalf
		isHalf = false
		switch {
		case r == textForm || r == emojiForm:
		case r == utf8.RuneError && size == 1 || hidden(r):
			isBase, marks = false, 0
		case isFlagLetter(r):
			isBase, marks = true, 0
			next, _ := utf8.DecodeRuneInString(text[i:])
			if isHalf = !wasHalf && isFlagLetter(next); !isHalf && !wasHalf {
				isStray = true
			}
		case r >= utf8.RuneSelf && (unicode.In(r, unicode.Mn, unicode.Me) || ansi.StringWidthWc(text[start:i]) == 0):
			if marks++; !isBase || marks > mostMarks {
				isBase, isStray = false, true
			}
		default:
			isBase, marks = true, 0
		}
		if isStray {
			b.WriteString(text[done:start] + escapeRune(r))
			done = i
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// isFlagLetter reports whether r is a regional indicator, two of which are a flag.
func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// spell writes harmless text in ASCII. Latin letters lose their accents, and the rest is written as escapes.
func spell(text string) string {
	var b strings.Builder
	isLatin := false // the character that marks belong to
	for _, r := range text {
		switch {
		case r == emojiForm || r == textForm || isLatin && unicode.Is(unicode.Mn, r):
			continue
		case r < utf8.RuneSelf:
			isLatin = true
			b.WriteRune(r)
			continue
		}
		spelling := withoutAccents(r)
		if isLatin = spelling != ""; !isLatin {
			spelling = escapeRune(r)
		}
		b.WriteString(spelling)
	}
	return b.String()
}

// withoutAccents returns the ASCII characters of which a character is composed, without its accents; empty if it has
// other parts.
func withoutAccents(r rune) string {
	var b strings.Builder
	for _, part := range norm.NFKD.String(string(r)) {
		switch {
		case part < utf8.RuneSelf:
			b.WriteRune(part)
		case !unicode.Is(unicode.Mn, part):
			return ""
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
	if isPlain(text) {
		return text[:room] + mark
	}
	end := 0
	for end < len(text) {
		cluster, columns := ansi.FirstGraphemeCluster(text[end:], ansi.WcWidth)
		if columns > room {
			if _, size := utf8.DecodeRuneInString(cluster); end == 0 && CellWidth(cluster[:size]) <= room {
				end = size // of a joined emoji, the first picture is better than nothing
			}
			break
		}
		room -= columns
		end += len(cluster)
	}
	return text[:end] + mark
}

// An eightBitTerminal is a terminal that may not read UTF-8. There the bytes 0x80 to 0x9f, which most characters beyond
// Latin 1 have in UTF-8, are control characters, with which a foreign text could take over the terminal: such
// characters are written as escapes. The others may be shown as two or three wrong ones. They are written as they are,
// since in most cases only the locale was not set, and what is copied from the terminal should be what it was.
type eightBitTerminal struct{ io.Writer }

// withoutC1 returns the stream as an eightBitTerminal if it is a terminal.
func withoutC1(stream io.Writer, isTerminal bool) io.Writer {
	if isTerminal {
		return eightBitTerminal{stream}
	}
	return stream
}

// Write implements io.Writer.
func (t eightBitTerminal) Write(p []byte) (int, error) {
	var safe []byte
	for rest := p; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		part := rest[:size]
		if slices.ContainsFunc(part, func(b byte) bool { return b >= 0x80 && b <= 0x9F }) {
			part = []byte(escapeRune(r))
		}
		safe = append(safe, part...)
		rest = rest[size:]
	}
	if _, err := t.Writer.Write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}
