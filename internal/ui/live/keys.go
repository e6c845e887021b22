package live

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// press handles a key.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	m.copied = ""
	switch key.String() {
	case "ctrl+c":
		m.closed = ui.ErrInterrupted
		return tea.Quit
	case "ctrl+z":
		return m.suspender.suspend()
	}
	if m.typing {
		return m.typeFilter(key)
	}
	switch key.String() {
	case "q":
		m.closed = ErrQuit
		return tea.Quit
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
			m.copied = shell.Quote(ui.Sanitize(row.ID)) // a shell, into which it is pasted, must not run it
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
		m.moved = false
	case "end", "G":
		m.move(len(m.shown.rows))
	}
	return nil
}

// typeFilter handles a key while the filter is typed.
func (m *model) typeFilter(key tea.KeyPressMsg) tea.Cmd {
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
		m.addToFilter(key.Text)
	}
	return nil
}

func (m *model) addToFilter(text string) {
	text = m.filter + text
	m.filter = strings.ToValidUTF8(text[:min(len(text), longestFilter)], "")
}

// move selects another row.
func (m *model) move(by int) {
	rows := m.shown.rows
	if len(rows) == 0 {
		return
	}
	m.index, m.moved = max(min(m.index+by, len(rows)-1), 0), true
	m.selected = rows[m.index].ID
}
