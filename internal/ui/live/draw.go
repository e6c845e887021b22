package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

const (
	fixedLines     = 5 // title, counts, heading of the list, note, keys
	detailsOnly    = 3 // title, note, keys
	leastRows      = 5 // that the list keeps before the details get any lines
	leastDetails   = 3 // lines of details; fewer say nothing
	mostDetailRows = 14
	leastOpened    = 6   // lines of opened details below the list; with less they replace it
	mostWrapped    = 3   // lines of one text of the details; twice as many when they are opened
	widestID       = 34  // columns of an identifier
	widestName     = 24  // columns of a name
	nameScreen     = 110 // columns of a screen that has room for names
	columnGap      = 2
	leastCount     = 4 // columns of a count that has to be cut
)

// A layout divides the lines of the screen. Details that replace the list have its lines and those of the counts.
type layout struct {
	body, details int
	replacesList  bool
}

func (m *model) layout() layout {
	free := m.height - fixedLines
	switch {
	case m.opened && free > leastOpened:
		return layout{body: 1, details: free - 1}
	case m.opened:
		return layout{body: 1, details: max(m.height-detailsOnly, 0), replacesList: true}
	}
	if details := min(free*2/5, mostDetailRows); free-details >= leastRows && details >= leastDetails {
		return layout{body: free - details, details: details}
	}
	return layout{body: max(free, 1)}
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

// lines returns the lines of the screen, none wider than it.
func (m *model) lines() []string {
	l := m.layout()
	lines := []string{m.titleLine()}
	if !l.replacesList {
		lines = append(append(lines, m.countsLine()), m.list(l.body)...)
	}
	if l.details > 0 {
		lines = append(lines, m.detailsPane(l)...)
	}
	lines = append(lines, m.noteLine(), m.keysLine())
	return lines[:min(len(lines), m.height)]
}

func (m *model) paint(tone ui.Tone, text string) string {
	return m.view.config.Streams.Paint(tone, text)
}

func (m *model) fit(text string, width int) string { return m.view.config.Streams.Fit(text, width) }

// titleLine shows the title, the number of rows and how current they are.
func (m *model) titleLine() string {
	s := m.shown
	noun := m.view.config.Noun
	if s.all == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	left := fmt.Sprintf("%s: %d %s", m.view.config.Title, s.all, noun)
	tone, right := ui.Dim, "last change "+m.ago(s.lastChange)+" ago"
	switch {
	case s.trouble != nil:
		tone, right = ui.Bad, "no answer for "+m.ago(s.troubleSince)
	case s.all == 0:
		right = "waiting for the first"
	case s.lastChange.IsZero(): // the service's clock is ahead of this one
		right = ""
	}
	if spinner := m.spinner(s.working); spinner != " " {
		right += " " + spinner
	}
	width := m.width - ui.CellWidth(right) - 1
	if width < 10 || right == "" {
		return m.paint(ui.Bold, m.fit(left, m.width))
	}
	return m.paint(ui.Bold, m.fit(left, width)) + " " + m.paint(tone, right)
}

// countsLine shows how many rows have each status, and how many have one for which there is no room.
func (m *model) countsLine() string {
	streams := m.view.config.Streams
	line, gap, left, others := "", "", m.width, m.shown.all
	for i, c := range m.shown.counts {
		room := left - len(gap)
		if others > c.n {
			room -= columnGap + len(more(others-c.n))
		}
		text := streams.Cut(strconv.Itoa(c.n)+" "+c.status.Text, m.width)
		if i == 0 {
			text = streams.Cut(text, room)
		}
		if room < leastCount || ui.CellWidth(text) > room {
			break
		}
		line += gap + m.paint(c.status.Tone, text)
		left -= len(gap) + ui.CellWidth(text)
		others -= c.n
		gap = strings.Repeat(" ", columnGap)
	}
	if others > 0 {
		line += m.paint(ui.Dim, streams.Cut(gap+more(others), left))
	}
	return line
}

func more(others int) string { return fmt.Sprintf("+%d more", others) }

// The columns of the list. A marker and a spinner come before the first.
const (
	columnID = iota
	columnName
	columnStatus
	columnAge
	columnWhy
	columnCount
)

const (
	markWidth = 4
	ageWidth  = 6
	leastID   = 12 // of an identifier that has to be cut
	leastWhy  = 4
)

// widths are those of the columns; a column without width is left out.
type widths [columnCount]int

func (m *model) widths(rows []*Row) (w widths) {
	streams := m.view.config.Streams
	w[columnID], w[columnStatus], w[columnAge] = len(m.view.config.Header), len("STATUS"), ageWidth
	for _, row := range rows {
		w[columnID] = max(w[columnID], ui.CellWidth(streams.Cut(row.ID, widestID)))
		w[columnStatus] = max(w[columnStatus], ui.CellWidth(streams.Cut(row.Status.Text, widestID)))
		if m.width >= nameScreen {
			w[columnName] = max(w[columnName], ui.CellWidth(streams.Cut(row.Name, widestName)))
		}
	}
	left := m.width - markWidth - w[columnStatus] - ageWidth - 2*columnGap
	if left < min(w[columnID], leastID) { // the identifier matters more than the age
		left += ageWidth + columnGap
		w[columnAge] = 0
	}
	w[columnID] = max(min(w[columnID], left), 1)
	left -= w[columnID]
	if w[columnName] > 0 {
		left -= w[columnName] + columnGap
	}
	if left >= columnGap+leastWhy {
		w[columnWhy] = left - columnGap
	}
	return w
}

// list draws the heading and the rows from the topmost one.
func (m *model) list(body int) []string {
	rows := m.shown.rows[m.top:min(m.top+body, len(m.shown.rows))]
	w := m.widths(rows)
	heading := [columnCount]string{m.view.config.Header, "NAME", "STATUS", "FOR", "WHY"}
	lines := []string{m.paint(ui.Bold, m.listLine(strings.Repeat(" ", markWidth), w, heading, nil))}
	for i, row := range rows {
		mark, isSelected := "  ", m.top+i == m.index
		if isSelected {
			mark = m.symbol(">", "▸") + " "
		}
		cells := [columnCount]string{row.ID, row.Name, row.Status.Text, m.ago(row.Since), row.Why}
		tones := [columnCount]ui.Tone{columnStatus: row.Status.Tone, columnAge: ui.Dim, columnWhy: ui.Dim}
		if isSelected {
			tones[columnID] = ui.Bold
		}
		lines = append(lines, m.listLine(mark+m.spinner(row.Working)+" ", w, cells, &tones))
	}
	if len(rows) == 0 && m.filter != "" {
		lines = append(lines, m.fit("    nothing matches", m.width))
	}
	return pad(lines, body+1)
}

// pad adds empty lines.
func pad(lines []string, n int) []string {
	return append(lines, make([]string, max(n-len(lines), 0))...)
}

// listLine draws a row, or the heading if there are no tones. Of an identifier that is cut, the end is shown: the
// beginnings are alike.
func (m *model) listLine(mark string, w widths, cells [columnCount]string, tones *[columnCount]ui.Tone) string {
	streams, id := m.view.config.Streams, cells[columnID]
	isCut := w[columnID] < leastID/2 && ui.CellWidth(id) > w[columnID]
	least := markWidth + w[columnID] + w[columnStatus] + columnGap + min(w[columnAge], 1)*(w[columnAge]+columnGap)
	if isCut || m.width < least { // the screen is too narrow for more than the identifier
		mark = strings.TrimRight(mark, " ") + " "
		return m.fit(mark+streams.Tail(id, m.width-ui.CellWidth(mark)), m.width)
	}
	if tones != nil {
		cells[columnID] = streams.Tail(id, w[columnID])
	}
	line, gap := mark, ""
	for i, text := range cells {
		if w[i] == 0 {
			continue
		}
		text = m.fit(text, w[i])
		if tones != nil {
			text = m.paint(tones[i], text)
		}
		line += gap + text
		gap = strings.Repeat(" ", columnGap)
	}
	return strings.TrimRight(line, " ")
}

// detailsPane draws the details of the selected row, below a rule where the list is above.
func (m *model) detailsPane(l layout) []string {
	var lines []string
	if !l.replacesList {
		lines = append(lines, m.paint(ui.Dim, strings.Repeat(m.symbol("-", "─"), m.width)))
	}
	if row := m.row(); row != nil {
		lines = append(lines, m.detailLines(row, l.details-len(lines))...)
	}
	return pad(lines, l.details)[:l.details]
}

func (m *model) detailLines(row *Row, height int) []string {
	known := m.knownDetails(row)
	lines := []string{m.fit(row.ID, m.width)}
	switch {
	case known == nil && (m.view.config.Details == nil || row.Why != ""):
		return append(lines, m.fit(row.Why, m.width))
	case known == nil:
		return lines
	case known.err != nil:
		return append(lines, m.paint(ui.Bad, m.fit("The details could not be read: "+known.err.Error(), m.width)))
	}
	labelWidth := 0
	for _, field := range known.fields {
		labelWidth = max(labelWidth, ui.CellWidth(ui.Sanitize(field.Label)))
	}
	labelWidth = min(labelWidth, m.width/3)
	mostLines := mostWrapped
	if m.opened {
		mostLines *= 2
	}
	lines = nil
	for _, field := range known.fields {
		label := field.Label
		for _, cell := range field.Cells {
			for _, text := range m.view.config.Streams.Wrap(cell.Text, m.width-labelWidth-columnGap, mostLines) {
				lines = append(lines, m.paint(ui.Dim, m.fit(label, labelWidth))+"  "+m.paint(cell.Tone, text))
				label = ""
			}
		}
	}
	if left := len(lines) - height + 1; left > 1 {
		lines = append(lines[:height-1], m.paint(ui.Dim, m.fit(fmt.Sprintf("%d more lines", left), m.width)))
	}
	return lines
}

// noteLine shows the filter while it is typed, and else the most important of what there is to say.
func (m *model) noteLine() string {
	s := m.shown
	switch {
	case m.typing:
		return m.fit("/"+m.filter+"_", m.width)
	case m.copied != "":
		return m.paint(ui.Good, m.fit("copied "+m.copied, m.width))
	case s.trouble != nil:
		return m.paint(ui.Warn, m.fit("The service does not answer; trying again: "+s.trouble.Error(), m.width))
	case m.filter != "":
		return m.fit(fmt.Sprintf("/%s: %d of %d", m.filter, len(s.rows), s.all), m.width)
	}
	return m.fit(s.note, m.width)
}

// keysLine shows the keys, in the longest form for which there is room, and the place in the list. How to quit is in
// all.
func (m *model) keysLine() string {
	rows, place := len(m.shown.rows), ""
	forms := []string{
		"up/down move  enter details  / filter  c copy id  q quit", "enter details  / filter  c copy id  q quit",
		"enter details  / filter  c copy  q quit", "enter details  / filter  q quit", "q quit",
	}
	if rows > m.body && m.body > 0 {
		place = fmt.Sprintf("  %d-%d of %d", m.top+1, min(m.top+m.body, rows), rows)
	}
	if m.opened {
		place = fmt.Sprintf("  %d of %d", m.index+1, rows)
		forms = []string{
			"up/down move  enter back to the list  c copy id  q quit", "enter back to the list  c copy id  q quit",
			"enter back  q quit", "q quit",
		}
	}
	if m.typing {
		forms = []string{"enter keep the filter  esc drop it", "enter keep  esc drop"}
	}
	for _, keys := range forms {
		for _, text := range []string{keys + place, keys} {
			if ui.CellWidth(text) <= m.width {
				return m.paint(ui.Dim, text)
			}
		}
	}
	return m.paint(ui.Dim, m.fit(forms[len(forms)-1], m.width))
}

// symbol returns the second text if the terminal shows UTF-8.
func (m *model) symbol(ascii, utf8 string) string {
	if m.view.config.Streams.UTF8 {
		return utf8
	}
	return ascii
}

// spinner returns one picture of a spinner; a space if nothing is under way, or its news cannot come in.
func (m *model) spinner(working bool) string {
	if !working || m.shown.trouble != nil {
		return " "
	}
	pictures := []rune(m.symbol(`|/-\`, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"))
	n := m.view.config.Now().UnixMilli() / spinnerFrame.Milliseconds()
	return string(pictures[n%int64(len(pictures))])
}

// ago returns the time since t in at most two units.
func (m *model) ago(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	s := max(m.view.config.Now().Sub(t), 0) / time.Second
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/3600/24, s/3600%24)
	}
	return fmt.Sprintf("%dd", s/3600/24)
}
