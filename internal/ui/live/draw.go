package live

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

// columnGap is what separates columns.
const columnGap = 2

// View implements tea.Model.
func (m *model) View() tea.View {
	m.view.modelMu.Lock()
	defer m.view.modelMu.Unlock()
	screen := tea.NewView("")
	screen.AltScreen = true
	screen.MouseMode = tea.MouseModeCellMotion
	if m.width > 0 && m.height > 0 {
		screen.SetContent(strings.Join(m.lines(), "\n"))
	}
	return screen
}

// lines returns the lines of the screen, none wider than it.
func (m *model) lines() []string {
	if m.help {
		return m.helpLines()
	}
	l := m.at
	lines := []string{m.titleLine()}
	if l.tabs >= 0 {
		lines = append(lines, m.tabsLine())
	}
	if m.hasFilterLine() {
		lines = append(lines, m.filterLine())
	}
	var left []string
	if l.charts.height > 0 {
		left = append(left, m.chartsPane(l.charts)...)
	}
	if l.list.height > 0 {
		left = append(left, m.listPane(l.list)...)
	}
	if l.news.height > 0 {
		left = append(left, m.newsPane(l.news)...)
	}
	switch {
	case l.details.x > 0:
		left = m.sideBySide(left, m.detailsPane(l.details), l.details)
	case l.details.height > 0:
		left = append(left, m.detailsPane(l.details)...)
	}
	lines = append(append(lines, left...), m.bottomLines(l.bottom)...)
	lines = append(lines, m.keysLine())
	return lines[:min(len(lines), m.height)]
}

// sideBySide puts the lines of a pane to the right of others.
func (m *model) sideBySide(left, right []string, r rect) []string {
	rule := m.paint(m.frameTone(), m.symbol("|", "│"))
	lines := make([]string, r.height)
	for i := range lines {
		text := ""
		if i < len(left) {
			text = left[i]
		}
		lines[i] = text + strings.Repeat(" ", max(r.x-1-ui.CellWidth(text), 0)) + rule
		if i < len(right) {
			lines[i] += right[i]
		}
	}
	return lines
}

// frameTone is that of the rule around the details: a strong one if they have the keys.
func (m *model) frameTone() ui.Tone {
	if m.focused {
		return ui.Bold
	}
	return ui.Dim
}

func (m *model) paint(tone ui.Tone, text string) string {
	return m.view.config.Streams.Paint(tone, text)
}

func (m *model) fit(text string, width int) string { return m.view.config.Streams.Fit(text, width) }

func (m *model) cut(text string, width int) string { return m.view.config.Streams.Cut(text, width) }

// pad adds empty lines.
func pad(lines []string, n int) []string {
	return append(lines, make([]string, max(n-len(lines), 0))...)[:n]
}

// titleLine shows the title, the number of rows and how current they are.
func (m *model) titleLine() string {
	now := m.now()
	all := len(m.board.all)
	left := m.view.config.Title + ": " + m.countOf(all)
	tone, right := ui.Dim, "no change yet"
	switch n := len(m.news.items); {
	case m.view.config.Log:
		right = "live"
	case n > 0:
		right = "last change " + Age(m.news.items[n-1].at, now) + " ago"
	}
	switch {
	case m.trouble != "":
		tone, right = ui.Bad, "no news for "+Age(m.troubleSince, now)
	case m.loading:
		tone, right = ui.Provider, cmp.Or(m.progress, "loading")
	}
	if m.showsPersonal(now) && !m.view.config.ShowPersonal {
		left = "Personal data is shown for " + shortAge(m.personalUntil.Sub(now)+idleFrame-1) + "   " + left
	}
	width := m.width - ui.CellWidth(right) - 1
	if width < 10 {
		return m.paint(ui.Bold, m.fit(left, m.width))
	}
	return m.paint(ui.Bold, m.fit(left, width)) + " " + m.paint(tone, right)
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

// A tab is the name of a group on the screen.
type tab struct {
	group, from, to int // columns
	text            string
}

// tabs returns the groups with their counts as the line has room for them.
func (m *model) tabs() []tab {
	groups := m.view.config.Groups
	build := func(name func(Group) string, gap int) (tabs []tab, width int) {
		add := func(group int, text string) {
			tabs = append(tabs, tab{group, width, width + ui.CellWidth(text), text})
			width += ui.CellWidth(text) + gap
		}
		for i, g := range groups {
			add(i, fmt.Sprintf(" %d %s %s ", i+1, name(g), ui.Thousands(m.board.groups[i])))
		}
		add(allGroups, fmt.Sprintf(" 0 all %s ", ui.Thousands(len(m.board.all))))
		return tabs, width - gap
	}
	tabs, width := build(func(g Group) string { return g.Name }, 1)
	if width > m.width {
		tabs, width = build(func(g Group) string { return g.Name }, 0)
	}
	if width > m.width {
		tabs, width = build(func(g Group) string { return g.Short }, 0)
	}
	if width > m.width {
		tabs, _ = build(func(g Group) string { return g.Short[:1] }, 0)
	}
	return tabs
}

// tabsLine shows the groups, that which is selected inverted.
func (m *model) tabsLine() string {
	line, column := "", 0
	for _, t := range m.tabs() {
		if t.to > m.width {
			break
		}
		tone := ui.Plain
		if t.group >= 0 && m.board.groups[t.group] > 0 {
			tone = m.view.config.Groups[t.group].Tone
		}
		text := m.paint(tone, t.text)
		if t.group == m.board.group {
			text = m.view.config.Streams.PaintSelected(ui.Plain, t.text)
		}
		line += strings.Repeat(" ", t.from-column) + text
		column = t.to
	}
	return line
}

// filterLine shows the filter, its end if it is long, and how many rows it leaves.
func (m *model) filterLine() string {
	right := fmt.Sprintf("  %s of %s", ui.Thousands(len(m.board.shown)), ui.Thousands(len(m.board.all)))
	tone := ui.Bold
	if m.board.filter.mistake != "" {
		tone = ui.Warn
	}
	text := "/" + ui.Sanitize(m.filterText)
	if m.typing {
		text += m.symbol("_", "▏")
	}
	width := max(m.width-ui.CellWidth(right), 1)
	text = m.fit(m.end(text, width), width)
	return m.paint(tone, text) + m.paint(ui.Dim, m.cut(right, m.width-width))
}

// end is the end of a sanitised text that is too long for its place.
func (m *model) end(text string, width int) string {
	if ui.CellWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && ui.CellWidth(string(runes)) >= width {
		runes = runes[1:]
	}
	return m.symbol("~", "…") + string(runes)
}

// bottomLines show the question of an action, or the most important of what there is to say.
func (m *model) bottomLines(height int) []string {
	if m.question != nil {
		return pad(m.question.lines(m, height), height)
	}
	tone, text := m.bottomText()
	lines := m.view.config.Streams.Wrap(text, m.width, height)
	for i, line := range lines {
		lines[i] = m.paint(tone, line)
	}
	return pad(lines, height)
}

// bottomText is the most important of what there is to say.
func (m *model) bottomText() (tone ui.Tone, text string) {
	tone, text = ui.Plain, m.note
	switch {
	case m.said != "" && m.isMistake:
		tone, text = ui.Warn, m.said
	case m.said != "":
		tone, text = ui.Good, m.said
	case m.acting != "":
		tone, text = ui.Provider, m.acting+" "+m.symbol("...", "…")
	case m.board.filter.mistake != "":
		tone, text = ui.Warn, m.board.filter.mistake
	case m.trouble != "":
		tone, text = ui.Bad, m.trouble
	case m.board.marked > 0:
		text = m.countOf(m.board.marked) + " marked. Esc: none."
	}
	return tone, text
}

// keysLine shows the most important keys, as many as there is room for. How to see all of them and how to quit always
// is.
func (m *model) keysLine() string {
	keys := []string{"enter details", "/ filter", "space mark"}
	switch {
	case m.question != nil:
		return m.paint(ui.Dim, m.fit(m.question.keys(), m.width))
	case m.typing:
		keys = []string{"enter keep the filter", "esc drop it", "words, or " + m.exampleFilter()}
		return m.paint(ui.Dim, m.cut(joinFitting(keys, m.width), m.width))
	case m.focused:
		keys = []string{"esc list", "up/down scroll", "n next", "p previous"}
	}
	for _, a := range m.view.config.Actions {
		keys = append(keys, keyName(a.Key)+" "+a.Name)
	}
	const last = "? keys  q quit"
	place := ""
	if n := len(m.board.shown); n > 0 {
		place = fmt.Sprintf("  %s of %s", ui.Thousands(m.index+1), ui.Thousands(n))
	}
	for _, end := range []string{last + place, last, "q quit"} {
		if ui.CellWidth(end) <= m.width {
			text := joinFitting(keys, m.width-ui.CellWidth(end)-columnGap)
			if text != "" {
				text += "  "
			}
			return m.paint(ui.Dim, text+end)
		}
	}
	return m.paint(ui.Dim, m.cut("q quit", m.width))
}

// joinFitting joins as many texts as there is room for.
func joinFitting(texts []string, width int) string {
	line := ""
	for _, text := range texts {
		if next := strings.TrimPrefix(line+"  "+text, "  "); ui.CellWidth(next) <= width {
			line = next
		}
	}
	return line
}

// symbol returns the second text if the terminal shows UTF-8.
func (m *model) symbol(ascii, utf8 string) string {
	if m.view.config.Streams.UTF8 {
		return utf8
	}
	return ascii
}
