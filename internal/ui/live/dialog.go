package live

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// ErrCancelled is the error of a question that the user has closed with Esc.
var ErrCancelled = errors.New("cancelled")

// A Dialog asks the user questions below the list, for an action, one at a time.
type Dialog struct{ view *View }

// Personal reports whether personal data is shown on the screen now.
func (d *Dialog) Personal() bool {
	d.view.modelMu.Lock()
	defer d.view.modelMu.Unlock()
	return d.view.model.showsPersonal(d.view.config.Now())
}

// An Option is one of several answers. Key, a single character, chooses it at once; it may be empty.
type Option struct{ Key, Label string }

const (
	// longestAnswer bounds a line of text, in bytes: as long as a path may be on Linux.
	longestAnswer = 4 << 10
	// mostKeyed is how many options can be chosen by their keys. More are filtered by typing.
	mostKeyed = 9
	// mostTitleLines is how many lines of the screen a title may take.
	mostTitleLines = 6
	// mostCandidates is how many completions are shown.
	mostCandidates = 50
)

// Choose asks for one of the options and returns its index. Each title is a line; a line break within one is shown as
// \n. The error is ErrCancelled or that of the context.
func (d *Dialog) Choose(ctx context.Context, options []Option, titles ...string) (int, error) {
	q := &question{titles: titles, options: options}
	q.match()
	if err := d.ask(ctx, q); err != nil {
		return 0, err
	}
	return q.matches[q.index], nil
}

// Line asks for a line of text, which is at first as given. Complete, which may be nil, returns what a text can be
// completed to; the view goes on while it is called. Titles and errors are those of Choose.
func (d *Dialog) Line(
	ctx context.Context, initial string, complete func(text string) []string, titles ...string,
) (string, error) {
	q := &question{titles: titles, editor: &editor{}, complete: complete}
	q.editor.insert(initial)
	if err := d.ask(ctx, q); err != nil {
		return "", err
	}
	return q.editor.text, nil
}

// Confirm shows some lines and asks whether to go on. The error is ErrCancelled if the answer is no, or that of the
// context.
func (d *Dialog) Confirm(ctx context.Context, lines ...string) error {
	return d.ask(ctx, &question{titles: lines, confirms: true})
}

// Copy copies a text to the clipboard (OSC 52), which the terminal has to allow.
func (d *Dialog) Copy(text string) {
	if program := d.view.program.Load(); program != nil {
		program.Send(tea.SetClipboard(text)())
	}
}

// ask shows a question until it is answered or the context ends. With an error of the context the loop may still use
// the question.
func (d *Dialog) ask(ctx context.Context, q *question) error {
	q.answered = make(chan error, 1)
	d.view.send(func(m *model) { q.model, m.question = m, q })
	select {
	case err := <-q.answered:
		return err
	case <-ctx.Done():
		d.view.send(func(m *model) {
			if m.question == q {
				m.question = nil
			}
		})
		return context.Cause(ctx)
	}
}
