package live

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

const (
	markWidth  = 3   // of the cursor, the mark and a space
	namedGroup = 80  // columns of a list that has room for the names of the groups
	groupWidth = 9   // columns of the name of a group
	leastID    = 8   // columns of an identifier that is cut
	tinyScreen = 20  // columns of a screen that has room for nothing but identifiers
	widestCell = 200 // columns of a cell that has no bound of its own
	urgent     = 7   // least rank of columns that are worth cutting identifiers: for how long, and until when
	mostUrgent = 9   // rank of the last one that a list does without
)

// listPane draws the heading and the rows from the topmost one.
func (m *model) listPane(r rect) []string {
	entries := m.board.shown[min(m.top, len(m.board.shown)):min(m.top+r.height, len(m.board.shown))]
	at := m.moment()
	columns := m.view.config.Columns
	cells := make([][]ui.Cell, len(entries))
	for i, e := range entries {
		cells[i] = make([]ui.Cell, len(columns))
		for j := range columns {
			if columns[j].FilterOnly {
				continue
			}
			cell := columns[j].Cell(e.row, at)
			cell.Text = m.cut(cell.Text, columnMost(columns[j]))
			cells[i][j] = cell
			m.wide[j] = max(m.wide[j], ui.CellWidth(cell.Text))
		}
	}
	widths := m.widths(r.width)
	lines := []string{m.headingLine(widths, r.width)}
	for i, e := range entries {
		lines = append(lines, m.rowLine(e, cells[i], widths, r.width, at))
	}
	if len(entries) == 0 {
		lines = append(lines, m.paint(ui.Dim, m.fit("   "+m.emptyText(), r.width)))
	}
	return pad(lines, r.height+1)
}

func columnMost(c Column) int {
	if c.Most > 0 {
		return c.Most
	}
	return widestCell
}

// emptyText says why the list has no rows.
func (m *model) emptyText() string {
	config := &m.view.config
	switch {
	case len(m.board.all) > 0 && m.filterText != "":
		return "Nothing matches the filter. Esc drops it."
	case len(m.board.all) > 0 && m.board.group >= 0:
		name := strconv.Itoa(m.board.group+1) + " " + config.Groups[m.board.group].Name
		return "No " + config.Noun + " under " + name + ". 0 shows all."
	case m.trouble != "":
		return "Nothing has been read yet."
	case m.loading:
		return "Reading the " + config.Noun + " " + m.symbol("...", "…")
	}
	return "There are no " + config.Noun + " yet."
}

// groupColumn is the width of the column that names the group of a row; zero: there is none.
func (m *model) groupColumn(width int) int {
	switch {
	case len(m.view.config.Groups) == 0 || width < tinyScreen:
		return 0
	case width < namedGroup:
		return 1
	}
	return groupWidth
}

// widths divides the width of the list among its columns. One of width zero is left out.
func (m *model) widths(width int) []int {
	left := width - markWidth
	if group := m.groupColumn(width); group > 0 {
		left -= group + columnGap - 1
	}
	columns := make([]ui.Column, len(m.view.config.Columns))
	wanted := make([]int, len(columns))
	for i, c := range m.view.config.Columns {
		columns[i] = c.Column
		isEmpty := m.wide[i] == 0 && m.wide[0] > 0 // no row has had anything to show in it yet
		if !c.FilterOnly && !isEmpty {
			wanted[i] = max(m.wide[i], ui.CellWidth(c.Header))
		}
	}
	divide := func() []int { return m.view.config.Streams.ColumnWidths(columns, wanted, max(left, 1)) }
	whole := divide()
	wide := wanted[0]
	// Where there is no room for all urgent columns, there may be for the most urgent of them.
	for rank := urgent; rank <= mostUrgent; rank++ {
		for wanted[0] = wide; wanted[0] >= min(shortID, wide); wanted[0]-- { // the end of an identifier tells rows apart, too
			if widths := divide(); !m.lacks(rank, widths) {
				return widths
			}
		}
	}
	return whole
}

// lacks reports whether the list leaves out a column of a rank or of a higher one that has something to show.
func (m *model) lacks(rank int, widths []int) bool {
	for i := range m.view.config.Columns {
		if c := &m.view.config.Columns[i]; c.Rank >= rank && !c.FilterOnly && widths[i] == 0 && m.wide[i] > 0 {
			return true
		}
	}
	return false
}

func (m *model) headingLine(widths []int, width int) string {
	line := strings.Repeat(" ", markWidth)
	if group := m.groupColumn(width); group > 0 {
		line += strings.Repeat(" ", group+columnGap-1)
		if group == groupWidth {
			header := strings.ToUpper(cmp.Or(m.view.config.GroupHeader, "Turn"))
			line = strings.Repeat(" ", markWidth) + m.fit(header, group+columnGap-1)
		}
	}
	line += m.cells(widths, func(i int) string {
		c := &m.view.config.Columns[i]
		header := strings.ToUpper(c.Header)
		if c == m.sorted {
			header = m.symbol("v", "▾") + header
		}
		return m.paint(ui.Bold, m.cut(header, widths[i]))
	})
	return m.clip(line, width)
}

// rowLine draws a row. The selected one is a bar over the whole width.
func (m *model) rowLine(e *entry, cells []ui.Cell, widths []int, width int, at Moment) string {
	streams := m.view.config.Streams
	cursor, mark, paint := " ", " ", streams.Paint
	if e == m.selected {
		cursor, paint = m.symbol(">", "▸"), func(_ ui.Tone, text string) string { return text }
	}
	isFresh := !e.changed.IsZero() && at.Now.Sub(e.changed) < freshFor
	switch {
	case e.marked:
		mark = m.symbol("+", "✓")
	case isFresh:
		mark = m.symbol("*", "●")
	}
	line := cursor + paint(ui.Bold, mark) + " "
	if group := m.groupColumn(width); group > 0 {
		g := m.view.config.Groups[e.row.Group]
		text := m.symbol(g.Mark[0], g.Mark[1])
		if group == groupWidth {
			text = g.Name
		}
		line += paint(g.Tone, m.fit(text, group)) + strings.Repeat(" ", columnGap-1)
	}
	line += m.cells(widths, func(i int) string {
		text, tone := cells[i].Text, cells[i].Tone
		if i == 0 && isFresh {
			tone = ui.Bold
		}
		switch {
		case i == 0:
			text = streams.Tail(text, widths[i])
		case m.view.config.Columns[i].Ends:
			text = streams.Ends(text, widths[i])
		}
		return paint(tone, m.cut(text, widths[i]))
	})
	line = m.clip(line, width)
	if e == m.selected {
		line = streams.PaintSelected(ui.Plain, line+strings.Repeat(" ", max(width-ui.CellWidth(line), 0)))
	}
	return line
}

// cells draws the columns that have a width. Cell returns a painted text that is not wider than its column.
func (m *model) cells(widths []int, cell func(i int) string) string {
	var b strings.Builder
	gap := 0
	for i, width := range widths {
		if width == 0 {
			continue
		}
		text := cell(i)
		padding := width - ui.CellWidth(text)
		if m.view.config.Columns[i].Right {
			gap, padding = gap+padding, 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", gap))
			b.WriteString(text)
			gap = 0
		}
		gap += padding + columnGap
	}
	return b.String()
}

// clip cuts a painted line.
func (m *model) clip(line string, width int) string { return ansi.Truncate(line, width, "") }
