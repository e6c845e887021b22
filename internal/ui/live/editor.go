package live

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

// An editor is a line of text with a cursor.
type editor struct {
	text string
	at   int // the cursor, in bytes; between two characters as a person sees them
}

// insert inserts a text at the cursor, without what no line has.
func (e *editor) insert(text string) {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	if room := longestAnswer - len(e.text); len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
}

// press handles a key.
func (e *editor) press(key tea.KeyPressMsg) {
	switch key.String() {
	case "left", "ctrl+b":
		e.at = e.before()
	case "right", "ctrl+f":
		e.at = e.behind()
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		e.delete(e.before(), e.at)
	case "delete", "ctrl+d":
		e.delete(e.at, e.behind())
	case "ctrl+u":
		e.delete(0, e.at)
	case "ctrl+k":
		e.delete(e.at, len(e.text))
	case "ctrl+w", "alt+backspace":
		words := strings.TrimRight(e.text[:e.at], " /")
		e.delete(strings.LastIndexAny(words, " /")+1, e.at)
	default:
		e.insert(key.Text)
	}
}

// delete deletes the bytes between two positions, at one of which the cursor is.
func (e *editor) delete(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.at = from
}

// before returns the beginning of the character before the cursor.
func (e *editor) before() (start int) {
	for next := 0; next < e.at; {
		start = next
		next += len(firstCharacter(e.text[next:]))
	}
	return start
}

// behind returns the end of the character at the cursor.
func (e *editor) behind() int { return e.at + len(firstCharacter(e.text[e.at:])) }

// firstCharacter returns the first character of a text as a person sees it, with its accents.
func firstCharacter(text string) string {
	if text == "" {
		return ""
	}
	character, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return character
}

// typed returns what a key makes of a text that is typed at its end, such as a filter.
func typed(text string, key tea.KeyPressMsg) string {
	switch key.String() {
	case "backspace", "ctrl+h":
		e := editor{text: text, at: len(text)}
		return text[:e.before()]
	case "ctrl+u":
		return ""
	case "ctrl+w", "alt+backspace":
		words := strings.TrimRightFunc(text, unicode.IsSpace)
		return strings.TrimRightFunc(words, func(c rune) bool { return !unicode.IsSpace(c) })
	}
	return text + key.Text
}

// The cursor is drawn in reverse video, which is no colour.
const reverse, upright = "\x1b[7m", "\x1b[27m"

// draw draws the part of the text around the cursor that fits the screen.
func (e *editor) draw(m *model) string {
	const prompt = "> "
	width := m.width - len(prompt)
	if width < 2 {
		return m.fit(prompt, m.width)
	}
	var parts []string // of the text
	cursor := 0        // its index in parts
	for rest := e.text; rest != ""; {
		character := firstCharacter(rest)
		if len(e.text)-len(rest) < e.at {
			cursor++
		}
		parts = append(parts, m.view.config.Streams.Cut(character, width)) // sanitised, it may be wide
		rest = rest[len(character):]
	}
	parts = append(parts, " ") // where the cursor is behind the text
	// Characters are taken in on both sides of the cursor, as long as there is room, the left side first.
	first, last := cursor, cursor
	left := width - ui.CellWidth(parts[cursor])
	for grows := true; grows; {
		grows = false
		if first > 0 && ui.CellWidth(parts[first-1]) <= left {
			first--
			left -= ui.CellWidth(parts[first])
			grows = true
		}
		if last < len(parts)-1 && (last-cursor < width/4 || first == 0) && ui.CellWidth(parts[last+1]) <= left {
			last++
			left -= ui.CellWidth(parts[last])
			grows = true
		}
	}
	mark := prompt
	if first > 0 {
		mark = "< "
	}
	before, behind := strings.Join(parts[first:cursor], ""), strings.Join(parts[cursor+1:last+1], "")
	return mark + before + reverse + parts[cursor] + upright + behind
}
