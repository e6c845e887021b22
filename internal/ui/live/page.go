package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

const (
	pageTimeout = 20 * time.Second // of the read of details or a reply
	rereadAfter = 5 * time.Second  // of an error of that

	mostWrapped = 20 // lines of one text of the details: 1 KiB of reasons on 80 columns
	widestLabel = 16 // columns of the label of a field
)

// pageBody draws the details, the reply or the help from its topmost line.
func (m *model) pageBody(height int) []string {
	all := m.pageLines()
	top := max(min(m.pageTop, len(all)-height), 0)
	shown := all[top:min(top+height, len(all))]
	if below := len(all) - top - height; below > 0 && height > 1 {
		more := m.streams.Fit(fmt.Sprintf("%d more lines: down", below+1), m.width)
		shown = append(slices.Clone(shown[:height-1]), m.streams.Paint(ui.Dim, more))
	}
	return pad(shown, height)
}

// pageLines are all lines of the details, the reply or the help.
func (m *model) pageLines() []string {
	if m.page == helpPage {
		return m.fieldLines(m.help(), m.width)
	}
	if row := m.row(); row != nil {
		return m.rowLines(row, m.width)
	}
	return nil
}

// help lists all keys.
func (m *model) help() (keys ui.Details) {
	config := &m.view.config
	add := func(key string, does ...string) {
		var cells []ui.Cell
		for _, text := range does {
			cells = append(cells, ui.Text(text))
		}
		keys = append(keys, ui.Field{Label: key, Cells: cells})
	}
	add("up down j k", "move by a row; PgUp PgDn by a screen, g G to the first and last row")
	add("Enter Esc", "to the details and back; in the details n and p: next and previous row")
	var names, fields []string
	for _, c := range config.Columns {
		if !c.Passes {
			fields = append(fields, c.MachineName())
		}
	}
	for i, g := range config.Groups {
		names = append(names, fmt.Sprintf("%d %s", i+1, g.Text))
	}
	add(fmt.Sprintf("1 to %d", len(names)), "only a part of the list: "+strings.Join(names, ", ")+"; 0 all")
	add("/", "filter: words, and FIELD:WORD with the fields "+strings.Join(fields, " "), "-word: without it")
	add("r y c", "show the reply to the customer; copy it; copy the id")
	if config.HasPersonal {
		add("P", "show personal data for a minute")
	}
	add("q Ctrl-C", "quit, interrupt; Ctrl-Z suspends, Ctrl-L draws the screen again")
	return keys
}

// rowLines are all lines of the details or the reply.
func (m *model) rowLines(row *Row, width int) []string {
	what := "details"
	head := ui.Details{{Cells: []ui.Cell{ui.Toned(ui.Bold, row.ID), row.Status, ui.Text(row.Why)}}}
	if m.page == replyPage {
		what, head[0].Cells = "reply", nil
	}
	switch known := m.known; {
	case !m.isShown(known):
		head[0].Cells = append(head[0].Cells, ui.Toned(ui.Dim, "Reading the "+what+" "+m.symbol("...", "…")))
	case known.err != nil:
		head[0].Cells = append(head[0].Cells, ui.Toned(ui.Bad, "The "+what+" could not be read: "+known.err.Error()))
	default:
		head = known.show(m.moment())
	}
	return m.fieldLines(head, width)
}

// fieldLines draw labels and values.
func (m *model) fieldLines(fields ui.Details, width int) (lines []string) {
	labelWidth := 0
	for _, field := range fields {
		labelWidth = max(labelWidth, ui.CellWidth(ui.Sanitize(field.Label)))
	}
	labelWidth = min(labelWidth, width/3, widestLabel)
	indent := 0
	if labelWidth > 0 {
		indent = labelWidth + columnGap
	}
	for _, field := range fields {
		label := field.Label
		if len(field.Cells) == 0 {
			lines = append(lines, "")
		}
		for _, cell := range field.Cells {
			for _, text := range m.streams.Wrap(cell.Text, width-indent, mostWrapped) {
				lines = append(lines, m.streams.Paint(ui.Dim, m.streams.Fit(label, indent))+m.streams.Paint(cell.Tone, text))
				label = ""
			}
		}
	}
	return lines
}

// A pageRead is what has been read for the details or the reply of a row. It belongs to the status of the row and the
// time of that: a row can get the same status again, for other reasons. A reply has names only if they were shown.
type pageRead struct {
	page     page
	row      Row
	personal bool
	show     func(at Moment) ui.Details
	err      error
	at       time.Time
}

// isShown reports whether a read is that of the page and the selected row as they are now.
func (m *model) isShown(read *pageRead) bool {
	row := m.row()
	return read != nil && row != nil && read.page == m.page &&
		(read.page != replyPage || read.personal == m.showsPersonal()) &&
		read.row.ID == row.ID && read.row.Status == row.Status && read.row.Since.Equal(row.Since)
}

// requestPage reads the details or the reply of the selected row if they are shown and not known. It tries again after
// an error.
func (m *model) requestPage() tea.Cmd {
	row := m.row()
	isKnown := m.isShown(m.known) && (m.known.err == nil || m.now().Sub(m.known.at) < rereadAfter)
	if m.page != detailsPage && m.page != replyPage || row == nil || isKnown || m.isShown(m.asked) {
		return nil
	}
	read := pageRead{page: m.page, row: *row, personal: m.showsPersonal()}
	m.asked = &pageRead{page: read.page, row: read.row, personal: read.personal}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, pageTimeout)
		defer cancel()
		if read.page == detailsPage {
			read.show, read.err = m.view.config.Details(ctx, read.row)
			return read
		}
		var text string
		text, read.err = m.view.config.Reply(ctx, read.row.ID, read.personal)
		var lines []ui.Cell
		for line := range strings.Lines(text) {
			lines = append(lines, ui.Text(strings.TrimSuffix(line, "\n")))
		}
		read.show = func(Moment) ui.Details { return ui.Details{{Cells: lines}} }
		return read
	}
}
