package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/term"
)

const (
	fixedLines  = 5 // title, counts, head of the list, what is said, keys
	aloneLines  = 3 // title, what is said, keys
	leastList   = 5 // rows that the list has before the story gets a place
	leastStory  = 3 // lines of it
	mostStory   = 14
	leastOpened = 6  // lines of a whole story below the list; where there is no room for them it stands alone
	mostWrapped = 3  // lines of one text of it
	shownID     = 34 // columns of an identifier, at the most
	wide        = 110
	columnGap   = 2
	leastCount  = 4 // columns of a count that has to be cut
)

// A layout is how the lines of the screen are shared out. A story that is alone has those of the counts and the list too.
type layout struct {
	body, story int
	alone       bool
}

func (m *model) layout() layout {
	free := m.height - fixedLines
	switch {
	case m.opened && free > leastOpened:
		return layout{body: 1, story: free - 1}
	case m.opened:
		return layout{body: 1, story: max(m.height-aloneLines, 0), alone: true}
	}
	l := layout{body: max(free, 1)}
	if story := min(free*2/5, mostStory); free-story >= leastList && story >= leastStory {
		l = layout{body: free - story, story: story}
	}
	return l
}

// View implements tea.Model.
func (m *model) View() tea.View {
	screen := tea.NewView("")
	screen.AltScreen = true
	if m.width > 0 && m.height > 0 {
		screen.SetContent(strings.Join(m.lines(), "\n"))
	}
	return screen
}

// lines are the lines of the screen, none wider than it.
func (m *model) lines() []string {
	l := m.layout()
	lines := []string{m.title()}
	if !l.alone {
		lines = append(append(lines, m.counts()), m.list(l.body)...)
	}
	if l.story > 0 {
		lines = append(lines, m.story(l)...)
	}
	lines = append(lines, m.said(), m.keys())
	return lines[:min(len(lines), m.height)]
}

func (m *model) paint(tone term.Tone, text string) string {
	return m.view.config.Streams.Paint(tone, text)
}

func (m *model) fit(text string, width int) string { return m.view.config.Streams.Fit(text, width) }

// title says what is shown, and how current it is.
func (m *model) title() string {
	p := m.shown
	noun := m.view.config.Noun
	if p.all == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	left := fmt.Sprintf("%s: %d %s", m.view.config.Title, p.all, noun)
	tone, right := term.Dim, "last change "+m.ago(p.last)+" ago"
	if p.last.IsZero() {
		right = "" // the service's clock is ahead of this one's
	}
	switch {
	case p.trouble != nil:
		tone, right = term.Bad, "no answer for "+m.ago(p.since)
	case p.all == 0:
		right = "waiting for the first"
	}
	if spinner := m.spinner(p.working); spinner != " " {
		right += " " + spinner
	}
	width := m.width - term.CellWidth(right) - 1
	if width < 10 || right == "" {
		return m.paint(term.Bold, m.fit(left, m.width))
	}
	return m.paint(term.Bold, m.fit(left, width)) + " " + m.paint(tone, right)
}

// counts are how many there are of each status, and how many have another one where there is no room for all.
func (m *model) counts() string {
	var b strings.Builder
	left, others := m.width, m.shown.all
	for i, c := range m.shown.counts {
		gap := min(i, 1) * columnGap
		room := left - gap
		if others > c.n {
			room -= columnGap + len(more(others-c.n))
		}
		text := m.view.config.Streams.Cut(strconv.Itoa(c.n)+" "+c.status.Text, m.width)
		if i == 0 {
			text = m.view.config.Streams.Cut(text, room)
		}
		if room < leastCount || term.CellWidth(text) > room {
			break
		}
		b.WriteString(strings.Repeat(" ", gap))
		b.WriteString(m.paint(c.status.Tone, text))
		left -= gap + term.CellWidth(text)
		others -= c.n
	}
	if others > 0 {
		b.WriteString(m.paint(term.Dim, m.view.config.Streams.Cut(strings.Repeat(" ", min(b.Len(), columnGap))+more(others), left)))
	}
	return b.String()
}

// more is how many others there are.
func more(others int) string { return fmt.Sprintf("+%d more", others) }

// widths are the columns of the list. The marks stand before them.
type widths struct{ id, name, status, age, why int }

const (
	marks    = 4
	ageWidth = 6
	leastID  = 12 // of an identifier that has to be cut
)

func (m *model) widths(rows []*Row) widths {
	streams := m.view.config.Streams
	w := widths{id: len(m.view.config.Header), status: len("STATUS"), age: ageWidth}
	for _, row := range rows {
		w.id = max(w.id, term.CellWidth(streams.Cut(row.ID, shownID)))
		w.status = max(w.status, term.CellWidth(streams.Cut(row.Status.Text, shownID)))
		if m.width >= wide {
			w.name = max(w.name, term.CellWidth(streams.Cut(row.Name, 24)))
		}
	}
	left := m.width - marks - w.status - w.age - 2*columnGap
	if left < min(w.id, leastID) { // which one it is matters more than for how long
		left += w.age + columnGap
		w.age = 0
	}
	w.id = max(min(w.id, left), 1)
	left -= w.id
	if w.name > 0 {
		left -= w.name + columnGap
	}
	if left > columnGap+3 {
		w.why = left - columnGap
	}
	return w
}

// list draws the head and the rows from the topmost.
func (m *model) list(body int) []string {
	rows := m.shown.rows[m.top:min(m.top+body, len(m.shown.rows))]
	w := m.widths(rows)
	lines := []string{m.paint(term.Bold, m.columns("", w, m.view.config.Header, "NAME", "STATUS", "FOR", "WHY", func(_ int, text string) string { return text }))}
	for i, row := range rows {
		mark := "  "
		if m.top+i == m.index {
			mark = m.marker() + " "
		}
		mark += m.spinner(row.Working) + " "
		lines = append(lines, m.columns(mark, w, row.ID, row.Name, row.Status.Text, m.ago(row.Since), row.Why, func(column int, text string) string {
			switch {
			case column == 2:
				return m.paint(row.Status.Tone, text)
			case column == 0 && m.top+i == m.index:
				return m.paint(term.Bold, text)
			case column >= 3:
				return m.paint(term.Dim, text)
			}
			return text
		}))
	}
	if len(rows) == 0 && m.filter != "" {
		lines = append(lines, m.fit("    nothing matches", m.width))
	}
	for len(lines) < body+1 {
		lines = append(lines, "")
	}
	return lines
}

// columns puts a line together.
func (m *model) columns(mark string, w widths, id, name, status, age, why string, tone func(column int, text string) string) string {
	if mark == "" {
		mark = strings.Repeat(" ", marks)
	}
	var b strings.Builder
	b.WriteString(mark)
	gap := 0
	for i, column := range []struct {
		text  string
		width int
	}{{id, w.id}, {name, w.name}, {status, w.status}, {age, w.age}, {why, w.why}} {
		if column.width == 0 {
			continue
		}
		b.WriteString(strings.Repeat(" ", gap))
		text := column.text
		if i == 0 && id != m.view.config.Header {
			text = m.view.config.Streams.Tail(text, column.width)
		}
		b.WriteString(tone(i, m.fit(text, column.width)))
		gap = columnGap
	}
	isCut := w.id < leastID/2 && term.CellWidth(id) > w.id
	if isCut || m.width < marks+w.id+w.status+columnGap+min(w.age, 1)*(w.age+columnGap) { // too narrow for all
		mark = strings.TrimRight(mark, " ") + " "
		return m.fit(mark+m.view.config.Streams.Tail(id, m.width-term.CellWidth(mark)), m.width)
	}
	return strings.TrimRight(b.String(), " ")
}

// story draws the whole story of the selected row.
func (m *model) story(l layout) []string {
	lines := make([]string, 0, l.story)
	if !l.alone {
		rule := "-"
		if m.view.config.Streams.UTF8 {
			rule = "─"
		}
		lines = append(lines, m.paint(term.Dim, strings.Repeat(rule, m.width)))
	}
	if row := m.row(); row != nil {
		lines = append(lines, m.tell(row, l.story-len(lines))...)
	}
	for len(lines) < l.story {
		lines = append(lines, "")
	}
	return lines[:l.story]
}

// wrapped is how many lines one text of a story has at the most.
func (m *model) wrapped() int {
	if m.opened {
		return 2 * mostWrapped
	}
	return mostWrapped
}

func (m *model) tell(row *Row, height int) []string {
	known := m.known(row)
	switch {
	case known == nil && m.view.config.Details == nil, known == nil && row.Why != "":
		return []string{m.fit(row.ID, m.width), m.fit(row.Why, m.width)}
	case known == nil:
		return []string{m.fit(row.ID, m.width)}
	case known.err != nil:
		return []string{m.fit(row.ID, m.width), m.paint(term.Bad, m.fit("It could not be read: "+known.err.Error(), m.width))}
	}
	labels := 0
	for _, field := range known.told {
		labels = max(labels, term.CellWidth(term.Sanitize(field.Label)))
	}
	labels = min(labels, m.width/3)
	var lines []string
	for _, field := range known.told {
		label := field.Label
		for _, cell := range field.Cells {
			for _, text := range m.view.config.Streams.Wrap(cell.Text, m.width-labels-columnGap, m.wrapped()) {
				lines = append(lines, m.paint(term.Dim, m.fit(label, labels))+"  "+m.paint(cell.Tone, text))
				label = ""
			}
		}
	}
	if len(lines) > height {
		lines = append(lines[:height-1], m.paint(term.Dim, m.fit(fmt.Sprintf("%d more lines", len(lines)-height+1), m.width)))
	}
	return lines
}

// said is the line of what happened last beside the rows, or of the filter.
func (m *model) said() string {
	switch {
	case m.typing:
		return m.fit("/"+m.filter+"_", m.width)
	case m.copied != "":
		return m.paint(term.Good, m.fit("copied "+m.copied, m.width))
	case m.shown.trouble != nil:
		return m.paint(term.Warn, m.fit("The service does not answer; trying again: "+m.shown.trouble.Error(), m.width))
	case m.filter != "":
		return m.fit(fmt.Sprintf("/%s: %d of %d", m.filter, len(m.shown.rows), m.shown.all), m.width)
	}
	return m.fit(m.shown.said, m.width)
}

// keys are what can be done here, as much of it as there is room for, and always how to get out.
func (m *model) keys() string {
	forms := []string{
		"up/down move  enter whole story  / filter  c copy id  q quit", "enter whole story  / filter  c copy id  q quit",
		"enter story  / filter  c copy  q quit", "enter story  / filter  q quit", "q quit",
	}
	switch {
	case m.typing:
		forms = []string{"enter keep the filter  esc drop it", "enter keep  esc drop"}
	case m.opened:
		forms = []string{"up/down move  enter back to the list  c copy id  q quit", "enter back to the list  c copy id  q quit", "enter back  q quit", "q quit"}
	}
	rows, place := len(m.shown.rows), ""
	switch {
	case m.opened:
		place = fmt.Sprintf("  %d of %d", m.index+1, rows)
	case rows > m.body && m.body > 0:
		place = fmt.Sprintf("  %d-%d of %d", m.top+1, min(m.top+m.body, rows), rows)
	}
	for _, keys := range forms {
		for _, text := range []string{keys + place, keys} {
			if term.CellWidth(text) <= m.width {
				return m.paint(term.Dim, text)
			}
		}
	}
	return m.paint(term.Dim, m.fit(forms[len(forms)-1], m.width))
}

func (m *model) marker() string {
	if m.view.config.Streams.UTF8 {
		return "▸"
	}
	return ">"
}

// spinner is a picture that moves while something is under way and its news can come in.
func (m *model) spinner(working bool) string {
	if !working || m.shown.trouble != nil {
		return " "
	}
	pictures := []rune(`|/-\`)
	if m.view.config.Streams.UTF8 {
		pictures = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	}
	n := m.view.config.Now().UnixMilli() / frame.Milliseconds()
	return string(pictures[n%int64(len(pictures))])
}

// ago is how long ago a moment is, in two units at the most.
func (m *model) ago(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := max(m.view.config.Now().Sub(t), 0)
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d < 100*day:
		return fmt.Sprintf("%dd%02dh", d/day, d%day/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}
