package live

import (
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

const (
	markWidth  = 3   // of the cursor, the mark and a space
	leastID    = 9   // columns of a cut identifier: its end tells rows apart
	widestCell = 30  // columns of a cell, other than of one that explains
	widestWhy  = 200 // columns of that
	// freshFor is how long a changed row is marked.
	freshFor = time.Minute
)

// listLines draws the heading and the rows from the topmost one.
func (m *model) listLines(height int) []string {
	entries := m.board.shown[min(m.top, len(m.board.shown)):min(m.top+height, len(m.board.shown))]
	at := m.moment()
	var heading []ui.Cell
	for i := range m.columns {
		heading = append(heading, ui.Toned(ui.Bold, strings.ToUpper(m.columns[i].Header)))
	}
	rows := make([][]ui.Cell, len(entries))
	for i, e := range entries {
		for j := range m.columns {
			c, most := &m.view.config.Columns[j], widestCell
			if c.Explains {
				most = widestWhy
			}
			cell := c.Cell(e.row, at)
			m.wide[j] = max(m.wide[j], ui.CellWidth(m.streams.Cut(cell.Text, most)))
			rows[i] = append(rows[i], cell)
		}
	}
	widths := m.widths()
	line := strings.Repeat(" ", markWidth) + m.streams.TableLine(m.columns, heading, widths)
	lines := []string{line}
	for i, e := range entries {
		lines = append(lines, m.rowLine(e, rows[i], widths))
	}
	if len(entries) == 0 {
		lines = append(lines, m.streams.Paint(ui.Dim, "   "+m.emptyText()))
	}
	return pad(lines, height+1)
}

// emptyText says why the list has no rows.
func (m *model) emptyText() string {
	switch noun := m.view.config.Noun; {
	case len(m.board.byID) > 0:
		return "Nothing here matches. Esc goes back to all " + noun + "."
	case m.loading:
		return "Reading the " + noun + " " + m.symbol("...", "…")
	default:
		return "There are no " + noun + " yet."
	}
}

// widths divides the width of the list among its columns. A column that explains gets its whole text if no column is
// lost. Otherwise it gets the room of the lower columns, and the identifier gets the rest.
func (m *model) widths() []int {
	width := m.width - markWidth
	wanted, columns, explains := make([]int, len(m.columns)), slices.Clone(m.columns), 0
	for i, c := range m.view.config.Columns {
		if i == 0 || m.wide[i] > 0 { // otherwise no row has had a text in it yet
			wanted[i] = max(m.wide[i], ui.CellWidth(c.Header))
		}
		if c.Explains {
			explains, columns[i].Whole = i, true
		}
	}
	id := wanted[0]
	wanted[0] = min(id, leastID)
	widths := m.streams.TableWidths(columns, wanted, width)
	if explains > 0 && widths[explains] < wanted[explains] {
		clear(wanted[explains+1:])
		widths = m.streams.TableWidths(m.columns, wanted, width)
	}
	left := width + columnGap
	for _, w := range widths {
		if w > 0 {
			left -= w + columnGap
		}
	}
	widths[0] += max(min(left, id-widths[0]), 0)
	return widths
}

// rowLine draws a row. The selected one is a bar over the whole width.
func (m *model) rowLine(e *entry, cells []ui.Cell, widths []int) string {
	mark := " "
	if !e.changed.IsZero() && m.now().Sub(e.changed) < freshFor {
		mark = m.symbol("*", "●")
		cells[0].Tone = ui.Bold
	}
	if e == m.selected {
		for i := range cells {
			cells[i].Tone = ui.Plain
		}
		line := m.symbol(">", "▸") + mark + " " + m.streams.TableLine(m.columns, cells, widths)
		line += strings.Repeat(" ", max(m.width-ui.CellWidth(line), 0))
		return m.streams.PaintSelected(ui.Plain, line)
	}
	return " " + m.streams.Paint(ui.Bold, mark) + " " + m.streams.TableLine(m.columns, cells, widths)
}
