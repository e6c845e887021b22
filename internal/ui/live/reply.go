package live

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// A replyRead is the message that the reply about a row has been read.
type replyRead struct {
	id, text string
	err      error
	copies   bool
}

// requestReply reads the reply about the selected row.
func (m *model) requestReply(copies bool) tea.Cmd {
	row := m.row()
	if row == nil {
		m.said = ui.Toned(ui.Warn, "There is no row.")
		return nil
	}
	m.moved = true // the row stays selected
	if !copies {
		m.page, m.pageTop, m.reply = replyPage, 0, nil
	}
	id, personal := row.ID, m.showsPersonal()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, detailsTimeout)
		defer cancel()
		text, err := m.view.config.Reply(ctx, id, personal)
		return replyRead{id, text, err, copies}
	}
}

// showReply shows or copies a reply.
func (m *model) showReply(reply replyRead) tea.Cmd {
	switch {
	case !reply.copies:
		m.reply = &reply
	case reply.err != nil:
		m.said = ui.Toned(ui.Warn, reply.err.Error())
	default:
		cmd := m.copy("the reply", reply.text)
		m.said.Text += " r shows it."
		return cmd
	}
	return nil
}

// replyLines are the lines of the reply.
func (m *model) replyLines() []string {
	cell := ui.Toned(ui.Dim, "Reading the reply "+m.symbol("...", "…"))
	switch {
	case m.reply == nil:
	case m.reply.err != nil:
		cell = ui.Toned(ui.Bad, "The reply could not be read: "+m.reply.err.Error())
	default:
		var cells []ui.Cell
		for line := range strings.Lines(m.reply.text) {
			cells = append(cells, ui.Text(strings.TrimSuffix(line, "\n")))
		}
		return m.fieldLines(ui.Details{{Cells: cells}}, m.width)
	}
	return m.fieldLines(ui.Details{{Cells: []ui.Cell{cell}}}, m.width)
}

// copyID copies the identifier of the selected row as one word that is harmless when pasted into a shell.
func (m *model) copyID() tea.Cmd {
	row := m.row()
	if row == nil {
		return nil
	}
	word, ok := shell.Word(ui.Sanitize(row.ID))
	if !ok {
		m.said = ui.Toned(ui.Warn, "The identifier has characters that cannot be pasted into a shell.")
		return nil
	}
	return m.copy("the id", word)
}

// copy sends a text to the terminal's clipboard (OSC 52), and reads it back: many terminals ignore it.
func (m *model) copy(what, text string) tea.Cmd {
	m.copied = text
	m.confirmed = ui.Toned(ui.Good, "Copied "+what+".")
	m.said = ui.Toned(ui.Warn, "Sent "+what+" to the clipboard; the terminal does not confirm it.")
	return tea.Sequence(tea.SetClipboard(text), tea.ReadClipboard)
}

// confirm says that a text was copied if the clipboard has it.
func (m *model) confirm(clipboard string) {
	if m.copied != "" && strings.TrimSpace(clipboard) == strings.TrimSpace(m.copied) {
		m.said = m.confirmed
	}
}
