package live

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// wheelLines is how many lines one step of the mouse's wheel scrolls, as in most terminals.
const wheelLines = 3

// press handles a key.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	m.say("")
	m.quitAsked = m.quitAsked && key.String() == "q"
	switch key.String() {
	case "ctrl+c":
		m.closed = ui.ErrInterrupted
		return tea.Quit
	case "ctrl+z":
		return m.suspender.suspend()
	case "ctrl+l":
		return tea.ClearScreen
	}
	if m.acting != "" && m.question == nil {
		m.ahead = m.now()
	}
	switch {
	case m.question != nil:
		if !m.isTypedAhead(key.String()) {
			m.question.press(key)
		}
		return nil
	case m.help:
		m.pressInHelp(key)
		return nil
	case m.typing:
		m.typeFilter(key)
		return nil
	}
	if cmd, handled := m.pressAnywhere(key); handled {
		return cmd
	}
	if m.focused && m.scrollDetails(key.String()) {
		return nil
	}
	m.moveInList(key.String())
	return nil
}

// aheadPause is how long no key may have been pressed before a question is answered, if there were keys before it was
// asked.
const aheadPause = 500 * time.Millisecond

// isTypedAhead reports whether a key does not answer the question, since it goes on with keys that were pressed before
// there was one: a held key, or a text that was pasted into a terminal that passes it on as keys.
func (m *model) isTypedAhead(key string) bool {
	q := m.question
	if q.editor != nil || q.tells || key == "esc" || m.now().Sub(m.ahead) >= aheadPause {
		return false
	}
	m.ahead = m.now()
	return true
}

// pressAnywhere handles the keys that do the same in the list and in the details.
func (m *model) pressAnywhere(key tea.KeyPressMsg) (cmd tea.Cmd, handled bool) {
	name := key.String()
	for i := range m.view.config.Actions {
		if a := &m.view.config.Actions[i]; a.Key == name {
			m.act(a)
			return nil, true
		}
	}
	switch name {
	case "q":
		return m.quit(), true
	case "?", "h", "f1":
		m.help, m.helpTop = true, 0
	case "/":
		m.typing = true
	case "enter":
		return m.open(), true
	case "esc":
		m.escape()
	case "c":
		return m.copyID(), true
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		digit, _ := strconv.Atoi(name) // it is one
		m.setGroup(digit - 1)
	case "space":
		m.markSelected()
	case "S":
		m.sort()
	case "F":
		m.toggleFollow()
	case "N":
		m.showNews()
	case "[", "alt+left":
		m.visit(-1)
	case "]", "alt+right":
		m.visit(1)
	case "P":
		m.togglePersonal()
	case "C":
		m.hidesCharts = !m.hidesCharts
	default:
		return nil, false
	}
	return nil, true
}

func (m *model) toggleFollow() {
	m.follow = !m.follow
	if m.follow {
		m.say("The cursor follows its row.")
	} else {
		m.say("The row under the cursor keeps its place.")
	}
}

func (m *model) quit() tea.Cmd {
	if m.acting != "" && !m.quitAsked {
		m.quitAsked = true
		m.sayMistake("Not done yet: " + m.acting + ". Press q again to leave all the same.")
		return nil
	}
	m.closed = ErrQuit
	return tea.Quit
}

// open gives the keys to the details, which are read at once, and back to the list.
func (m *model) open() tea.Cmd {
	row := m.row()
	if m.focused || row == nil || m.view.config.Details == nil {
		m.focused = false
		return nil
	}
	m.focused, m.moved, m.detailsTop = true, true, 0
	m.visits.add(row.ID)
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
	row := m.row()
	if row == nil {
		return nil
	}
	id, ok := shell.Word(ui.Sanitize(row.ID)) // a shell, into which it is pasted, must not run it
	if !ok {
		m.say("The identifier has characters that cannot be pasted into a shell.")
		return nil
	}
	m.say("Copied " + id + ".")
	return tea.SetClipboard(id)
}

// markSelected marks the selected row, or no longer, and goes to the next.
func (m *model) markSelected() {
	if m.selected != nil {
		m.board.mark(m.selected, !m.selected.marked)
		m.move(1)
	}
}

// showNews selects the row of the latest change, and that of an earlier one each time it is called again.
func (m *model) showNews() {
	n := &m.news
	for ; n.next < len(n.items); n.next++ {
		id := n.items[len(n.items)-1-n.next].id
		if row := m.row(); (row == nil || row.ID != id || !m.moved) && m.jump(id) {
			n.next++
			m.visits.add(id)
			return
		}
	}
	n.next = 0
	m.say("There is no other news.")
}

// visit goes back or forward through the rows that were opened.
func (m *model) visit(by int) {
	now := ""
	if row := m.row(); row != nil {
		now = row.ID
	}
	m.visits.forget(func(id string) bool { return m.board.byID[id] == nil })
	if id := m.visits.step(by, now); id == "" || !m.jump(id) {
		m.say("There is no other opened row.")
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

func (m *model) pressInHelp(key tea.KeyPressMsg) {
	switch key.String() {
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
	page := max(m.at.details.height-1, 1)
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
	m.detailsTop = max(min(m.detailsTop, m.detailsSize-m.at.details.height), 0)
	return true
}

func (m *model) moveInList(key string) {
	page := max(m.at.list.height, 1)
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
	switch {
	case m.question != nil:
		m.question.paste(text)
	case m.typing:
		m.setFilter(m.filterText + strings.Join(strings.Fields(text), " "))
	}
}

// click selects what the mouse points at: a row, a group or the details.
func (m *model) click(mouse tea.Mouse) tea.Cmd {
	if mouse.Button != tea.MouseLeft || m.question != nil {
		return nil
	}
	m.help = false
	switch at := m.at; {
	case at.list.has(mouse):
		if i := m.top + mouse.Y - at.list.y; i < len(m.board.shown) {
			m.focused = false
			m.move(i - m.index)
		}
	case at.details.has(mouse):
		if !m.focused {
			return m.open()
		}
	case mouse.Y == at.tabs:
		for _, tab := range m.tabs() {
			if mouse.X >= tab.from && mouse.X < tab.to {
				m.setGroup(tab.group)
			}
		}
	case at.news.has(mouse):
		if items := m.news.latest(at.news.height); mouse.Y-at.news.y < len(items) {
			m.jump(items[mouse.Y-at.news.y].id)
		}
	}
	return nil
}

// wheel scrolls what the mouse points at.
func (m *model) wheel(mouse tea.Mouse) {
	by := wheelLines
	switch mouse.Button {
	case tea.MouseWheelUp:
		by = -wheelLines
	case tea.MouseWheelDown:
	default:
		return
	}
	switch {
	case m.question != nil:
	case m.help:
		m.helpTop += by
	case m.at.details.has(mouse):
		m.detailsTop = max(min(m.detailsTop+by, m.detailsSize-m.at.details.height), 0)
	default:
		m.move(by)
	}
}
