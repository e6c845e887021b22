package live

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

// press handles a key.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	m.say("")
	name := key.String()
	m.quitAsked = m.quitAsked && name == "q"
	switch {
	case name == "ctrl+c":
		m.closed = ui.ErrInterrupted
	case name == "ctrl+z" && m.suspends:
		m.leaving = suspends
	case name == "ctrl+l":
		return tea.ClearScreen
	case m.asking != nil:
		m.answer(name)
	case m.help:
		m.pressInHelp(name)
	case m.typing:
		m.typeFilter(key)
	case name == "c" && m.row() != nil:
		return m.copyID()
	case name == "enter":
		return m.open()
	case m.pressAnywhere(name), m.focused && m.scrollDetails(name):
	default:
		m.moveInList(name)
	}
	return nil
}

// pressAnywhere handles the keys that do the same in the list and in the details, and reports whether it did.
func (m *model) pressAnywhere(name string) bool {
	for i := range m.view.config.Actions {
		if a := &m.view.config.Actions[i]; a.Key == name {
			m.start(a)
			return true
		}
	}
	switch name {
	case "q":
		m.quit()
	case "?", "h", "f1":
		m.help, m.helpTop = true, 0
	case "/":
		m.typing = true
	case "esc":
		m.escape()
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		digit, _ := strconv.Atoi(name) // it is one
		m.setGroup(digit - 1)
	case "space":
		m.markSelected()
	case "S":
		m.sort()
	case "P":
		m.togglePersonal()
	default:
		return false
	}
	return true
}

// open gives the keys to the details, which are read at once, and back to the list.
func (m *model) open() tea.Cmd {
	row := m.row()
	if m.focused || row == nil || m.view.config.Details == nil {
		m.focused = false
		return nil
	}
	m.focused, m.moved, m.detailsTop = true, true, 0
	return m.loadDetails(row.ID)
}

// escape goes back by one: from the details, the marks, the filter, the group.
func (m *model) escape() {
	switch {
	case m.focused:
		m.focused = false
	case m.board.marked > 0:
		for _, e := range m.board.all {
			m.board.mark(e, false)
		}
	case m.filterText != "":
		m.setFilter("")
	default:
		m.setGroup(allGroups)
	}
}

func (m *model) copyID() tea.Cmd {
	result := CopyID(m.row().ID)
	m.say(result.Said)
	if result.Copied == "" {
		return nil
	}
	return tea.SetClipboard(result.Copied)
}

// markSelected marks the selected row, or no longer, and goes to the next.
func (m *model) markSelected() {
	if m.selected != nil {
		m.board.mark(m.selected, !m.selected.marked)
		m.move(1)
	}
}

func (m *model) togglePersonal() {
	switch now := m.now(); {
	case m.view.config.ShowPersonal:
		m.say("--show-pii shows personal data all the time.")
	case !m.view.config.HasPersonal:
		m.say("There is no personal data here.")
	case m.showsPersonal(now):
		m.personalUntil = now
	default:
		m.personalUntil = now.Add(personalFor)
	}
}

func (m *model) pressInHelp(key string) {
	switch key {
	case "up", "k":
		m.helpTop--
	case "down", "j":
		m.helpTop++
	case "pgup":
		m.helpTop -= m.height / 2
	case "pgdown", "space":
		m.helpTop += m.height / 2
	default:
		m.help = false
	}
}

// scrollDetails handles a key for the details, and reports whether it did.
func (m *model) scrollDetails(key string) bool {
	page := max(m.at.details-1, 1)
	switch key {
	case "up", "k":
		m.detailsTop--
	case "down", "j":
		m.detailsTop++
	case "pgup", "ctrl+b":
		m.detailsTop -= page
	case "pgdown", "ctrl+f":
		m.detailsTop += page
	case "home", "g":
		m.detailsTop = 0
	case "end", "G":
		m.detailsTop = m.detailsSize
	case "n", "right", "tab":
		m.move(1)
	case "p", "left", "shift+tab":
		m.move(-1)
	default:
		return false
	}
	m.detailsTop = max(min(m.detailsTop, m.detailsSize-m.at.details), 0)
	return true
}

func (m *model) moveInList(key string) {
	page := max(m.at.list, 1)
	switch key {
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-page)
	case "pgdown", "ctrl+f":
		m.move(page)
	case "ctrl+u":
		m.move(-page / 2)
	case "ctrl+d":
		m.move(page / 2)
	case "home", "g":
		m.move(-len(m.board.shown))
		m.moved = false
	case "end", "G":
		m.move(len(m.board.shown))
	}
}

// move selects another row.
func (m *model) move(by int) {
	rows := m.board.shown
	if len(rows) == 0 {
		return
	}
	m.index, m.moved = max(min(m.index+by, len(rows)-1), 0), true
	m.choose()
}

// typeFilter handles a key while the filter is typed.
func (m *model) typeFilter(key tea.KeyPressMsg) {
	text := ""
	switch key.String() {
	case "enter":
		m.typing = false
		return
	case "esc":
		m.typing = false
	case "up", "down":
		m.moveInList(key.String())
		return
	default:
		text = typed(m.filterText, key)
	}
	if text != m.filterText {
		m.setFilter(text)
	}
}

// paste handles a text that was pasted.
func (m *model) paste(text string) {
	if m.typing {
		m.setFilter(m.filterText + strings.Join(strings.Fields(text), " "))
	}
}

// typed returns what a key makes of a text that is typed at its end, such as a filter.
func typed(text string, key tea.KeyPressMsg) string {
	switch key.String() {
	case "backspace", "ctrl+h":
		last := "" // the last character as a person sees it, with its accents
		for rest := text; rest != ""; rest = rest[len(last):] {
			last, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		}
		return strings.TrimSuffix(text, last)
	case "ctrl+u":
		return ""
	case "ctrl+w", "alt+backspace":
		words := strings.TrimRightFunc(text, unicode.IsSpace)
		return strings.TrimRightFunc(words, func(c rune) bool { return !unicode.IsSpace(c) })
	}
	return text + key.Text
}
