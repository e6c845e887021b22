package live

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

const (
	columnGap  = 2  // what separates columns
	stripLines = 2  // lines about the selected row below the list, or more if its status has a long explanation
	leastRows  = 16 // rows of a list that leave room for more of these lines
	leastShort = 10 // rows of a list that leave room for any
	leastTitle = 10 // columns of the title
	mostNote   = 4  // lines of a note, such as the cause of an outage
)

// View implements tea.Model.
func (m *model) View() tea.View {
	m.view.mu.Lock()
	defer m.view.mu.Unlock()
	screen := tea.NewView("")
	screen.AltScreen = true
	if m.width > 0 && m.height > 0 {
		screen.SetContent(strings.Join(m.lines(), "\n"))
	}
	return screen
}

// lines returns the lines of the screen, none wider than it. From the top: the title, the groups, the filter, the list
// with its heading, the lines about the selected row, a note, and the keys. The details and the help replace everything
// between the title and the note.
func (m *model) lines() []string {
	lines := m.head()
	if m.page != listPage {
		lines = append(lines, m.pageBody(m.bodyHeight())...)
	} else {
		lines = append(lines, m.listLines(m.listHeight())...)
		lines = append(lines, m.strip()...)
	}
	lines = append(lines, m.noteLines()...)
	lines = append(lines, m.keysLine())
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	return lines[:min(len(lines), m.height)]
}

// head returns the lines above the list, the details or the help.
func (m *model) head() []string {
	lines := []string{m.titleLine()}
	if m.page == listPage {
		lines = append(lines, m.tabsLine())
	}
	if m.page == listPage && (m.typing || m.filterText != "") {
		lines = append(lines, m.filterLine())
	}
	return lines
}

// bodyHeight is the number of lines for the details or the help, or for the strip and the list without its heading.
func (m *model) bodyHeight() int {
	height := m.height - len(m.head()) - len(m.noteLines()) - 1
	if m.page == listPage {
		height--
	}
	return max(height, 1)
}

// listHeight is how many rows are on the screen.
func (m *model) listHeight() int { return m.bodyHeight() - len(m.strip()) }

// symbol returns the second text if the terminal shows UTF-8.
func (m *model) symbol(ascii, utf8 string) string {
	if m.streams.UTF8 {
		return utf8
	}
	return ascii
}

// pad adds empty lines.
func pad(lines []string, n int) []string {
	return append(lines, make([]string, max(n-len(lines), 0))...)[:n]
}

// titleLine shows the title, the number of rows and how current they are.
func (m *model) titleLine() string {
	now := m.now()
	left := m.view.config.Title + ": " + m.countOf(len(m.board.byID)) + "  " + m.view.config.Service
	tone, right := ui.Plain, "no change yet"
	switch {
	case m.trouble != "":
		tone, right = ui.Bad, "no news for "+Age(m.troubleSince, now)
	case m.loading:
		tone, right = ui.Provider, "loading"
	case !m.changedAt.IsZero():
		right = "last change " + Age(m.changedAt, now) + " ago"
	}
	if m.polled != "" && m.trouble == "" {
		tone, right = ui.Warn, m.polled+", "+right
	}
	if m.showsPersonal() && !m.view.config.ShowPersonal {
		left = "Personal data is shown for " + shortAge(m.personalUntil.Sub(now)+idleFrame-1) + "   " + left
	}
	width := max(m.width-ui.CellWidth(right)-1, leastTitle)
	return m.streams.Paint(ui.Bold, m.streams.Fit(strings.TrimSpace(left), width)) + " " + m.streams.Paint(tone, right)
}

// countOf is a number of rows with their noun.
func (m *model) countOf(n int) string {
	noun := m.view.config.Noun
	if n == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	text := ui.Thousands(n) + " " + noun
	if m.loading {
		text += " so far"
	}
	return text
}

// widestTab is the columns of a group with the shortest name.
const widestTab = len(" 1 a 100 000 ")

// tabsLine shows the groups with their counts. The selected one is inverted. A narrow screen shows the beginnings of
// their names, and leaves out groups that do not fit.
func (m *model) tabsLine() (line string) {
	groups := append(slices.Clip(m.view.config.Groups), ui.Text("all"))
	for _, most := range []int{9, 4, 3, 1} {
		line = ""
		for i, g := range groups {
			number, count, tone := i+1, len(m.board.byID), ui.Plain
			if i < len(m.board.groups) {
				count = m.board.groups[i]
			} else {
				number = 0
			}
			if count > 0 {
				tone = g.Tone
			} else if i == m.board.rare {
				continue
			}
			text := fmt.Sprintf(" %d %s %s ", number, g.Text[:min(len(g.Text), most)], ui.Thousands(count))
			room := m.width + 1 - ansi.StringWidth(line) - len(text)
			if m.board.group == allGroups || i < m.board.group {
				room -= widestTab // for the selected group
			}
			if number == m.board.group+1 {
				line += m.streams.PaintSelected(ui.Plain, text)
			} else if most > 1 || room >= 0 {
				line += m.streams.Paint(tone, text)
			}
		}
		if ansi.StringWidth(line)-1 <= m.width {
			break
		}
	}
	return line
}

// filterLine shows the filter, its end if it is long, and how many rows it leaves.
func (m *model) filterLine() string {
	right := fmt.Sprintf("  %s of %s", ui.Thousands(len(m.board.shown)), ui.Thousands(len(m.board.byID)))
	text := "/" + ui.Sanitize(m.filterText)
	if m.typing {
		text += m.symbol("_", "▏")
	}
	width := max(m.width-ui.CellWidth(right), leastTitle)
	return m.streams.Paint(ui.Bold, m.streams.Fit(text, width)) + m.streams.Paint(ui.Dim, right)
}

// strip names the selected row and explains its status in full, if there is room below the list.
func (m *model) strip() (lines []string) {
	height := m.bodyHeight()
	least := max(min(stripLines, height-leastShort), 0)
	if row := m.row(); row != nil {
		text := strings.TrimSpace(row.ID + "  " + row.Why)
		lines = m.streams.Wrap(text, m.width, max(height-leastRows, least))
	}
	return pad(lines, max(len(lines), least))
}

// noteLines shows the most important message. News have only one line.
func (m *model) noteLines() []string {
	tone, text, most := ui.Plain, m.note, 1
	say := func(t ui.Tone, words string) { tone, text, most = t, words, max(min(m.height/4, mostNote), 1) }
	switch {
	case m.said.Text != "":
		say(m.said.Tone, m.said.Text)
	case m.trouble != "":
		say(ui.Bad, m.trouble)
	}
	lines := m.streams.Wrap(text, m.width, most)
	for i, line := range lines {
		lines[i] = m.streams.Paint(tone, line)
	}
	return pad(lines, max(len(lines), 1))
}

// keysLine shows as many keys as there is room for, the most important first.
func (m *model) keysLine() (line string) {
	keys := []string{"q quit", "? keys"}
	if n := len(m.board.shown); n > 0 {
		keys = append(keys, fmt.Sprintf("%s of %s", ui.Thousands(m.index+1), ui.Thousands(n)))
	}
	switch {
	case m.typing:
		keys = []string{"enter keep the filter", "esc drop it", "words, FIELD:WORD, -WORD"}
	case m.page == helpPage:
		keys = []string{"up/down scroll", "any other key: back"}
	case m.page == listPage:
		keys = append(keys, "enter details", "/ filter", "r reply", "y copy reply", "c copy id")
	default:
		keys = append(keys, "esc list", "up/down scroll", "n next", "p previous", "r reply", "y copy reply", "c copy id")
	}
	for _, key := range keys {
		longer := strings.TrimPrefix(line+"  "+key, "  ")
		if ui.CellWidth(longer) > m.width {
			break
		}
		line = longer
	}
	return line
}
