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
	// selectDelay is how long a row is selected before its details are read: moving over many rows reads none of them.
	selectDelay = 300 * time.Millisecond
	// detailsTimeout bounds the read.
	detailsTimeout = 20 * time.Second
	// retryDetails is the time from a failed read to the next.
	retryDetails = 10 * time.Second
	// keptDetails is how many rows' details are kept.
	keptDetails = 100

	mostWrapped  = 8  // lines of one text of the details
	widestLabel  = 16 // columns of the label of a field
	widestStatus = 22 // columns of a status: resubmission_required
)

// detailsPane draws the details of the selected row, below a rule where the list is above.
func (m *model) detailsPane(height int) []string {
	var lines, all []string
	if !m.focused {
		lines = append(lines, m.paint(ui.Dim, strings.Repeat(m.symbol("-", "─"), m.width)))
		height--
	}
	if row := m.row(); row != nil {
		all = m.detailLines(row, m.width)
	}
	m.detailsSize = len(all)
	top := max(min(m.detailsTop, len(all)-height), 0)
	shown := all[top:min(top+height, len(all))]
	if below := len(all) - top - height; below > 0 && height > 1 {
		more := fmt.Sprintf("%d more lines: %s", below+1, m.howToScroll())
		shown = append(slices.Clone(shown[:height-1]), m.paint(ui.Dim, m.fit(more, m.width)))
	}
	return append(lines, pad(shown, height)...)
}

func (m *model) howToScroll() string {
	if m.focused {
		return "down"
	}
	return "enter, then down"
}

// detailLines are all lines of the details: what comes next, what has happened, and the fields.
func (m *model) detailLines(row *Row, width int) []string {
	lines := []string{m.paint(ui.Bold, m.cut(row.ID, width))}
	status := m.paint(row.Status.Tone, m.cut(row.Status.Text, width))
	if !row.Since.IsZero() && row.Status.Text != "" {
		age := " for " + Age(row.Since, m.serviceNow())
		status += m.paint(ui.Dim, m.cut(age, max(width-ui.CellWidth(status), 0)))
	}
	if row.Status.Text != "" {
		lines = append(lines, status)
	}
	known := m.knownDetails(row)
	if known == nil || known.err != nil {
		lines = append(lines, m.remark(row.Why, 0, width)...)
	}
	switch {
	case known == nil:
		return append(lines, m.paint(ui.Dim, m.cut("Reading the details "+m.symbol("...", "…"), width)))
	case known.err != nil:
		text := "The details could not be read: " + known.err.Error()
		for _, text := range m.view.config.Streams.Wrap(text, width, mostWrapped) {
			lines = append(lines, m.paint(ui.Bad, text))
		}
		return lines
	}
	d := known.details
	if len(d.Next) > 0 {
		lines = append(lines, m.fieldLines(ui.Details{{Label: "Next", Cells: d.Next}}, width)...)
	}
	lines = append(lines, m.timelineLines(d, width)...)
	if d.Fields != nil {
		lines = append(lines, "")
		lines = append(lines, m.fieldLines(d.Fields(m.showsPersonal(m.now())), width)...)
	}
	return lines
}

// timelineLines show what has happened, the latest first: when, from and to which status, how long it lasted and why.
func (m *model) timelineLines(d Details, width int) (lines []string) {
	if len(d.Timeline) == 0 {
		return nil
	}
	lines = append(lines, "", m.paint(ui.Bold, m.cut("Timeline", width)))
	end := m.serviceNow()
	for i, step := range slices.Backward(d.Timeline) {
		lasted := "for " + ui.Age(end.Sub(step.At))
		if i == len(d.Timeline)-1 {
			lasted += " until now"
		}
		if step.To.Text == "" {
			lasted = ""
		} else {
			end = step.At
		}
		head := step.At.In(m.view.config.Zone).Format("01-02 15:04") + "  "
		from := ""
		if step.From.Text != "" {
			from = m.cut(step.From.Text, widestStatus) + " " + m.symbol("->", "→") + " "
		}
		to := m.cut(step.To.Text, widestStatus)
		gap := ""
		if to != "" {
			gap = "  "
		}
		rest := strings.Join(nonEmpty(lasted, step.Note), ", ")
		line := m.paint(ui.Dim, head) + from + m.paint(step.To.Tone, to) + gap + m.paint(ui.Dim, m.cut(rest, width))
		lines = append(lines, m.clip(line, width))
		const indent = 13 // below the status
		lines = append(lines, m.remark(step.Why, indent, width)...)
	}
	if d.Incomplete {
		lines = append(lines, m.paint(ui.Dim, m.cut("What happened before is not known.", width)))
	}
	return lines
}

// remark breaks a text, which may be empty, into dim lines behind an indent.
func (m *model) remark(text string, indent, width int) (lines []string) {
	if text == "" {
		return nil
	}
	for _, part := range m.view.config.Streams.Wrap(text, width-indent, mostWrapped) {
		lines = append(lines, strings.Repeat(" ", indent)+m.paint(ui.Dim, part))
	}
	return lines
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// fieldLines draw labels and values.
func (m *model) fieldLines(fields ui.Details, width int) (lines []string) {
	labelWidth := 0
	for _, field := range fields {
		labelWidth = max(labelWidth, ui.CellWidth(ui.Sanitize(field.Label)))
	}
	labelWidth = min(labelWidth, width/3, widestLabel)
	for _, field := range fields {
		label := field.Label
		for _, cell := range field.Cells {
			for _, text := range m.view.config.Streams.Wrap(cell.Text, width-labelWidth-columnGap, mostWrapped) {
				lines = append(lines, m.paint(ui.Dim, m.fit(label, labelWidth))+"  "+m.paint(cell.Tone, text))
				label = ""
			}
		}
	}
	return lines
}

// rowDetails are the details of a row while it had a status since a time. Both identify them: a row can get the same
// status again, for other reasons.
type rowDetails struct {
	status  string
	since   time.Time
	details Details
	err     error
	read    time.Time
}

// requestDetails has the details of the selected row read if it stays selected and they are not known.
func (m *model) requestDetails() tea.Cmd {
	row := m.row()
	if row == nil || m.at.details == 0 || m.requested == row.ID {
		return nil
	}
	known := m.knownDetails(row)
	if known != nil && (known.err == nil || m.now().Sub(known.read) < retryDetails) {
		return nil
	}
	m.requested = row.ID
	return tea.Tick(selectDelay, func(time.Time) tea.Msg { return rowLingered{row.ID} })
}

// knownDetails returns the details of a row in its present status; nil if they have not been read.
func (m *model) knownDetails(row *Row) *rowDetails {
	if known, ok := m.details[row.ID]; ok && known.status == row.Status.Text && known.since.Equal(row.Since) {
		return &known
	}
	return nil
}

func (m *model) keepDetails(id string, details rowDetails) {
	if m.requested == id {
		m.requested = ""
	}
	if m.reading == id {
		m.reading = ""
	}
	if len(m.details) >= keptDetails {
		clear(m.details)
	}
	m.details[id] = details
}

func (m *model) loadDetails(id string) tea.Cmd {
	row := m.row()
	if row == nil || row.ID != id {
		if m.requested == id {
			m.requested = ""
		}
		return nil
	}
	if m.reading == id {
		return nil
	}
	if known := m.knownDetails(row); known != nil && known.err == nil {
		m.requested = ""
		return nil
	}
	m.requested, m.reading = id, id
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, detailsTimeout)
		defer cancel()
		details, err := m.view.config.Details(ctx, *row)
		return detailsLoaded{id, rowDetails{row.Status.Text, row.Since, details, err, m.now()}}
	}
}
