package live

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

// An Action is what a key does with rows.
type Action struct {
	// Key is the key as bubbletea names it, and Name what it does, in a word or two.
	Key, Name string
	// Several gives Run all marked rows if there are any; else it gets the selected row alone.
	Several bool
	// Question is asked before Run, which only y starts; nil: Run starts at once. Its error is shown in place of the
	// question.
	Question func(rows []Row) (string, error)
	// Run acts on the rows. Its context ends when the view closes, which does not wait for it. Personal reports whether
	// personal data is shown on the screen. What it returns, or its error, is shown to the user. The actions of a view run
	// one at a time.
	Run func(ctx context.Context, rows []Row, personal bool) (Result, error)
}

// A Result is what an action has done.
type Result struct {
	Said string
	// Copied goes to the clipboard (OSC 52), which the terminal has to allow; empty: nothing does.
	Copied string
}

// An asking is a question before an action.
type asking struct {
	question string
	action   *Action
	rows     []Row
}

// An ended is the message that an action has ended.
type ended struct {
	Result
	err error
}

// start asks the question of an action, or runs it.
func (m *model) start(a *Action) tea.Cmd {
	if m.acting != "" {
		m.said = ui.Toned(ui.Warn, "Wait until this is done: "+m.acting+".")
		return nil
	}
	var rows []Row
	if a.Several && len(m.board.marked) > 0 {
		for _, e := range m.board.marked {
			rows = append(rows, *e.row)
		}
	} else if row := m.row(); row != nil {
		rows = append(rows, *row)
		m.moved = true // the row stays selected
	}
	switch {
	case len(rows) == 0:
		m.said = ui.Toned(ui.Warn, "There is no row for this: "+a.Name+".")
	case a.Question == nil:
		return m.run(a, rows)
	default:
		question, err := a.Question(rows)
		if err != nil {
			m.said = ui.Toned(ui.Warn, err.Error())
			return nil
		}
		m.asking = &asking{question, a, rows}
	}
	return nil
}

// answer handles a key while there is a question. Enter is no answer, so that it is not given by habit.
func (m *model) answer(key string) tea.Cmd {
	q := m.asking
	switch key {
	case "y", "Y":
		m.asking = nil
		return m.run(q.action, q.rows)
	case "n", "N", "esc", "q":
		m.asking = nil
	}
	return nil
}

// run returns the command that runs an action.
func (m *model) run(a *Action, rows []Row) tea.Cmd {
	m.acting = a.Name
	personal := m.showsPersonal()
	return func() tea.Msg {
		result, err := a.Run(m.ctx, rows, personal)
		return ended{result, err}
	}
}

// showEnd shows how an action ended.
func (m *model) showEnd(end ended) tea.Cmd {
	m.acting, m.said = "", ui.Toned(ui.Good, end.Said)
	if end.err != nil {
		m.said = ui.Toned(ui.Warn, end.err.Error())
	}
	if end.Copied == "" {
		return nil
	}
	return tea.SetClipboard(end.Copied)
}
