package live

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

const (
	markWidth  = 3   // of the cursor, the mark and a space
	groupWidth = 2   // of the number of the group and a gap
	leastID    = 9   // columns of an identifier that is cut: its end tells rows apart
	tinyScreen = 20  // columns of a screen that has room for nothing but identifiers
	widestCell = 200 // columns of a cell that has no bound of its own
	readable   = 10  // columns of a text that is worth showing, if its column has no bound of its own
	// freshFor is how long a changed row is marked.
	freshFor = time.Minute
)

// listLines draws the heading and the rows from the topmost one.
func (m *model) listLines(height int) []string {
	entries := m.board.shown[min(m.top, len(m.board.shown)):min(m.top+height, len(m.board.shown))]
	at := Moment{Now: m.serviceNow(), Personal: m.showsPersonal()}
	columns := m.view.config.Columns
	cells := make([][]ui.Cell, len(entries))
	for i, e := range entries {
		cells[i] = make([]ui.Cell, len(columns))
		for j := range columns {
			if columns[j].FilterOnly {
				continue
			}
			cell := columns[j].Cell(e.row, at)
			cell.Text = m.cut(cell.Text, cmp.Or(columns[j].Most, widestCell))
			cells[i][j] = cell
			m.wide[j] = max(m.wide[j], ui.CellWidth(cell.Text))
		}
	}
	widths := m.widths()
	lines := []string{m.headingLine(widths)}
	for i, e := range entries {
		lines = append(lines, m.rowLine(e, cells[i], widths))
	}
	if len(entries) == 0 {
		lines = append(lines, m.paint(ui.Dim, m.fit("   "+m.emptyText(), m.width)))
	}
	return pad(lines, height+1)
}

// emptyText says why the list has no rows.
func (m *model) emptyText() string {
	config := &m.view.config
	switch {
	case len(m.board.all) > 0 && m.filterText != "":
		return "Nothing matches the filter. Esc drops it."
	case len(m.board.all) > 0 && m.board.group >= 0:
		name := strconv.Itoa(m.board.group+1) + " " + config.Groups[m.board.group].Text
		return "No " + config.Noun + " under " + name + ". 0 shows all."
	case m.trouble != "":
		return "Nothing has been read yet."
	case m.loading:
		return "Reading the " + config.Noun + " " + m.symbol("...", "…")
	}
	return "There are no " + config.Noun + " yet."
}

// hasGroups reports whether a column has the number of the group of each row.
func (m *model) hasGroups() bool { return len(m.view.config.Groups) > 0 && m.width >= tinyScreen }

// widths divides the width of the list among its columns. One of width zero is left out. The columns get what they need
// at least in the order of their ranks, the first column before all; one that explains gets its whole text then, if
// there is so much room. What is left over goes round once more in this order.
func (m *model) widths() []int {
	left := m.width - markWidth
	if m.hasGroups() {
		left -= groupWidth
	}
	columns := m.view.config.Columns
	var order []int
	for i := range columns {
		if c := &columns[i]; !c.FilterOnly && (i == 0 || m.wide[i] > 0) { // else no row has had anything to show in it yet
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(rank(columns, i), rank(columns, j)), cmp.Compare(i, j))
	})
	widths := make([]int, len(columns))
	for _, i := range order {
		c, gap := &columns[i], columnGap
		if i == 0 {
			gap = 0
		}
		wanted := max(m.wide[i], ui.CellWidth(c.Header))
		least := min(wanted, cmp.Or(c.Least, readable))
		switch {
		case i == 0:
			least = min(wanted, leastID, max(left, 1))
		case c.Right || c.Keep || c.Whole:
			least = wanted
		}
		if left-gap < least {
			if !c.Keep || left-gap < readable {
				continue
			}
			least = left - gap
		}
		widths[i] = least
		if c.Explains {
			widths[i] = min(wanted, left-gap)
		}
		left -= gap + widths[i]
	}
	for _, i := range order {
		if widths[i] > 0 {
			more := min(max(m.wide[i], ui.CellWidth(columns[i].Header))-widths[i], left)
			widths[i] += max(more, 0)
			left -= max(more, 0)
		}
	}
	return widths
}

// rank is that of a column: the first one and those to keep come before all others.
func rank(columns []Column, i int) int {
	switch {
	case i == 0:
		return 1000
	case columns[i].Keep:
		return 100 + columns[i].Rank
	}
	return columns[i].Rank
}

func (m *model) headingLine(widths []int) string {
	line := strings.Repeat(" ", markWidth)
	if m.hasGroups() {
		line += strings.Repeat(" ", groupWidth)
	}
	line += m.cells(widths, func(i int) string {
		c := &m.view.config.Columns[i]
		header := strings.ToUpper(c.Header)
		if c == m.sorted {
			header = m.symbol("v", "▾") + header
		}
		return m.paint(ui.Bold, m.cut(header, widths[i]))
	})
	return m.clip(line, m.width)
}

// rowLine draws a row. The selected one is a bar over the whole width.
func (m *model) rowLine(e *entry, cells []ui.Cell, widths []int) string {
	streams := m.view.config.Streams
	cursor, mark, paint := " ", " ", streams.Paint
	if e == m.selected {
		cursor, paint = m.symbol(">", "▸"), func(_ ui.Tone, text string) string { return text }
	}
	isFresh := !e.changed.IsZero() && m.now().Sub(e.changed) < freshFor
	switch {
	case e.marked:
		mark = m.symbol("+", "✓")
	case isFresh:
		mark = m.symbol("*", "●")
	}
	line := cursor + paint(ui.Bold, mark) + " "
	if m.hasGroups() {
		line += paint(m.view.config.Groups[e.row.Group].Tone, strconv.Itoa(e.row.Group+1)) + strings.Repeat(" ", groupWidth-1)
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
	line = m.clip(line, m.width)
	if e == m.selected {
		line = streams.PaintSelected(ui.Plain, line+strings.Repeat(" ", max(m.width-ui.CellWidth(line), 0)))
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
