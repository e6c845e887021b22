package live

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// A replyRead is the message that a reply has been read, to be copied.
type replyRead struct {
	text string
	err  error
}

// requestReply reads the reply about the selected row, to copy it.
func (m *model) requestReply() tea.Cmd {
	row := m.row()
	if row == nil {
		m.said = ui.Toned(ui.Warn, "There is no row.")
		return nil
	}
	m.moved = true // the row stays selected
	id, personal := row.ID, m.showsPersonal()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, pageTimeout)
		defer cancel()
		text, err := m.view.config.Reply(ctx, id, personal)
		return replyRead{text, err}
	}
}

// copyReply copies a reply.
func (m *model) copyReply(reply replyRead) tea.Cmd {
	if reply.err != nil {
		m.said = ui.Toned(ui.Warn, reply.err.Error())
		return nil
	}
	cmd := m.copy("the reply", reply.text)
	m.said.Text += " r shows it."
	return cmd
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
