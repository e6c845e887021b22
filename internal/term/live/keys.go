package live

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/term"
)

// press does what a key says.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	m.copied = ""
	switch key.String() {
	case "ctrl+c":
		return m.leave(term.ErrInterrupted)
	case "ctrl+z":
		return m.stopper.stop()
	}
	if m.typing {
		return m.typed(key)
	}
	switch key.String() {
	case "q":
		return m.leave(ErrQuit)
	case "/":
		m.typing = true
	case "enter":
		m.opened = !m.opened && m.row() != nil
	case "esc":
		if m.opened {
			m.opened = false
		} else {
			m.filter = ""
		}
	case "c", "y":
		if row := m.row(); row != nil {
			m.copied = term.Sanitize(row.ID) // what is pasted into a shell runs with a line break in it
			return tea.SetClipboard(m.copied)
		}
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-m.body)
	case "pgdown", "ctrl+f", "space":
		m.move(m.body)
	case "home", "g":
		m.move(-len(m.shown.rows))
		m.chosen = false
	case "end", "G":
		m.move(len(m.shown.rows))
	}
	return nil
}

// typed takes in a key of the filter that is being typed.
func (m *model) typed(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "enter":
		m.typing = false
	case "esc":
		m.typing, m.filter = false, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case "ctrl+u":
		m.filter = ""
	case "ctrl+w":
		words := strings.TrimRightFunc(m.filter, unicode.IsSpace)
		m.filter = strings.TrimRightFunc(words, func(c rune) bool { return !unicode.IsSpace(c) })
	default:
		m.filter = shorten(m.filter + key.Text)
	}
	return nil
}

func (m *model) leave(why error) tea.Cmd {
	m.left = why
	return tea.Quit
}

// move selects another row.
func (m *model) move(by int) {
	rows := m.shown.rows
	if len(rows) == 0 {
		return
	}
	m.index, m.chosen = max(min(m.index+by, len(rows)-1), 0), true
	m.selected = rows[m.index].ID
}
