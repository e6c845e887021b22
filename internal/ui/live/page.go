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
	// detailsTimeout bounds the read of details or a reply.
	detailsTimeout = 20 * time.Second

	exampleFilter = "status:approved -test"

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
	if m.page == replyPage {
		return m.replyLines()
	}
	if row := m.row(); row != nil {
		return m.detailLines(row, m.width)
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
		fields = append(fields, c.MachineName())
	}
	for i, g := range config.Groups {
		names = append(names, fmt.Sprintf("%d %s", i+1, g.Text))
	}
	add(fmt.Sprintf("1 to %d", len(names)), "only a part of the list: "+strings.Join(names, ", ")+"; 0 all")
	add("/", "filter: words, and fields such as "+exampleFilter,
		"fields: "+strings.Join(fields, " "), "-word: without it")
	add("r y c", "show the reply to the customer; copy it; copy the id")
	if config.HasPersonal {
		add("P", "show personal data for a minute")
	}
	add("q Ctrl-C", "quit, interrupt; Ctrl-Z suspends, Ctrl-L draws the screen again")
	return keys
}

// detailLines are all lines of the details.
func (m *model) detailLines(row *Row, width int) []string {
	known := m.knownDetails(row)
	head := ui.Details{{Cells: []ui.Cell{ui.Toned(ui.Bold, row.ID), row.Status, ui.Text(row.Why)}}}
	switch {
	case known == nil:
		head[0].Cells = append(head[0].Cells, ui.Toned(ui.Dim, "Reading the details "+m.symbol("...", "…")))
	case known.err != nil:
		head[0].Cells = append(head[0].Cells, ui.Toned(ui.Bad, "The details could not be read: "+known.err.Error()))
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

// rowDetails are the details of a row. They belong to its status and the time of that: a row can get the same status
// again, for other reasons. They are also the message that they have been read.
type rowDetails struct {
	row  Row
	show func(at Moment) ui.Details
	err  error
}

// knownDetails returns the details of a row in its current status, or nil.
func (m *model) knownDetails(row *Row) *rowDetails {
	if d := m.details; d != nil && d.row.ID == row.ID && d.row.Status == row.Status && d.row.Since.Equal(row.Since) {
		return d
	}
	return nil
}

// requestDetails reads the details of the selected row if they are shown and not known.
func (m *model) requestDetails() tea.Cmd {
	row := m.row()
	if m.page != detailsPage || row == nil || m.reading || m.knownDetails(row) != nil {
		return nil
	}
	m.reading = true
	return func() tea.Msg { return m.readDetails(*row) }
}

func (m *model) readDetails(row Row) rowDetails {
	ctx, cancel := context.WithTimeout(m.ctx, detailsTimeout)
	defer cancel()
	show, err := m.view.config.Details(ctx, row)
	return rowDetails{row, show, err}
}
