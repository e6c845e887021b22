package live

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// ErrCancelled is the error of a question that the user has closed with Esc.
var ErrCancelled = errors.New("cancelled")

// A Dialog asks the user questions below the list, for an action.
type Dialog struct {
	view *View
	// Personal reports whether personal data is shown on the screen.
	Personal bool
}

// An Option is one of several answers. Key chooses it at once; it may be empty.
type Option struct{ Key, Label string }

// Choose asks for one of the options and returns its index. The error is ErrCancelled or that of the context.
func (d *Dialog) Choose(ctx context.Context, title string, options []Option) (int, error) {
	return 0, ErrCancelled
}

// Line asks for a line of text, which is at first as given. Complete, which may be nil, returns what a text can be
// completed to; it is called by the loop and must be fast. The error is ErrCancelled or that of the context.
func (d *Dialog) Line(ctx context.Context, title, initial string, complete func(text string) []string) (string, error) {
	return "", ErrCancelled
}

// Confirm shows some lines and asks whether to go on. The error is ErrCancelled if the answer is no, or that of the context.
func (d *Dialog) Confirm(ctx context.Context, lines ...string) error { return ErrCancelled }

// Copy copies a text to the clipboard (OSC 52), which the terminal has to allow.
func (d *Dialog) Copy(text string) {}

// A question is what a dialog asks at present.
type question struct{}

// press handles a key while there is a question.
func (q *question) press(key tea.KeyPressMsg) tea.Cmd { return nil }

// paste handles a text that was pasted.
func (q *question) paste(text string) tea.Cmd { return nil }

// keys names the keys of the question.
func (q *question) keys() string { return "esc cancel" }

// lines draws the question within so many lines and columns.
func (q *question) lines(m *model, height int) []string { return nil }
