package live

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

// press handles a key.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	m.said = ui.Cell{}
	name := key.String()
	by, moves := motion(name, m.bodyHeight())
	switch {
	case name == "ctrl+c":
		m.closed = ui.ErrInterrupted
	case name == "ctrl+l":
		return tea.ClearScreen
	case name == "ctrl+z":
		return tea.Suspend
	case m.typing:
		m.typeFilter(key)
	case m.page != listPage && moves:
		m.pageTop = max(min(m.pageTop+by, len(m.pageLines())-m.bodyHeight()), 0)
	case m.page == helpPage:
		m.page = listPage
	case moves:
		m.move(by)
		m.moved = by != -everything // the first row stays the first
	default:
		return m.act(name)
	}
	return nil
}

// everything is more rows or lines than there are.
const everything = 1 << 30

// motion returns by how many rows or lines a key moves.
func motion(key string, page int) (by int, ok bool) {
	switch key {
	case "up", "k":
		return -1, true
	case "down", "j":
		return 1, true
	case "pgup":
		return -page, true
	case "pgdown":
		return page, true
	case "home", "g":
		return -everything, true
	case "end", "G":
		return everything, true
	}
	return 0, false
}

// act handles a key that does not move.
func (m *model) act(key string) tea.Cmd {
	switch key {
	case "q":
		m.closed = ErrQuit
	case "?":
		m.page, m.pageTop = helpPage, 0
	case "/":
		m.page, m.typing = listPage, true
	case "enter":
		if m.page == listPage && m.row() != nil {
			m.page, m.pageTop, m.moved, m.known = detailsPage, 0, true, nil
		} else {
			m.page = listPage
		}
	case "esc":
		m.escape()
	case "n", "p":
		if m.page != listPage {
			m.move(map[string]int{"n": 1, "p": -1}[key])
			m.page, m.pageTop = detailsPage, 0
		}
	case "r":
		if m.row() == nil {
			m.said = ui.Toned(ui.Warn, "There is no row.")
		} else {
			m.page, m.pageTop, m.moved, m.known = replyPage, 0, true, nil
		}
	case "y":
		return m.requestReply()
	case "c":
		return m.copyID()
	case "P":
		m.togglePersonal()
	default:
		if digit, err := strconv.Atoi(key); err == nil {
			m.page = listPage
			m.setGroup(digit - 1) // 0: all
		}
	}
	return nil
}

// escape leaves the details, the filter or the group.
func (m *model) escape() {
	switch {
	case m.page != listPage:
		m.page = listPage
	case m.filterText != "":
		m.setFilter("")
	default:
		m.setGroup(allGroups)
	}
}

func (m *model) togglePersonal() {
	switch {
	case m.view.config.ShowPersonal:
		m.said = ui.Toned(ui.Good, "--show-pii shows personal data all the time.")
	case !m.view.config.HasPersonal:
		m.said = ui.Toned(ui.Good, "There is no personal data here.")
	case m.showsPersonal():
		m.personalUntil = m.now()
	default:
		m.personalUntil = m.now().Add(personalFor)
	}
}

// move selects another row.
func (m *model) move(by int) {
	if rows := m.board.shown; len(rows) > 0 {
		m.index, m.moved = max(min(m.index+by, len(rows)-1), 0), true
		m.selected = rows[m.index]
	}
}

// typeFilter handles a key while the filter is typed, at its end.
func (m *model) typeFilter(key tea.KeyPressMsg) {
	switch key.String() {
	case "enter":
		m.typing = false
	case "esc":
		m.typing = false
		m.setFilter("")
	case "ctrl+u":
		m.setFilter("")
	case "backspace", "ctrl+h":
		last := "" // the last character as a person sees it, with its accents
		for rest := m.filterText; rest != ""; rest = rest[len(last):] {
			last, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		}
		m.setFilter(strings.TrimSuffix(m.filterText, last))
	default:
		if key.Text != "" {
			m.setFilter(m.filterText + key.Text)
		}
	}
}
