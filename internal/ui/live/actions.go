package live

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/wait"
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
	// Run acts on the rows. Its context ends when the view closes. Personal reports whether personal data is shown on the
	// screen. What it returns, or its error, is shown to the user. The actions of a view run one at a time.
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

// start asks the question of an action, or runs it.
func (m *model) start(a *Action) {
	if m.acting != "" {
		m.sayMistake("Wait until this is done: " + m.acting + ".")
		return
	}
	var rows []Row
	if a.Several && m.board.marked > 0 {
		for _, e := range m.board.markedEntries() {
			rows = append(rows, *e.row)
		}
	} else if row := m.row(); row != nil {
		rows = append(rows, *row)
		m.moved = true // the row stays selected
	}
	switch {
	case len(rows) == 0:
		m.sayMistake("There is no row for this: " + a.Name + ".")
	case a.Question == nil:
		m.run(a, rows)
	default:
		question, err := a.Question(rows)
		if err != nil {
			m.sayMistake(err.Error())
			return
		}
		m.asking = &asking{question, a, rows}
	}
}

// answer handles a key while there is a question. Enter is no answer, so that it is not given by habit.
func (m *model) answer(key string) {
	q := m.asking
	switch key {
	case "y", "Y":
		m.asking = nil
		m.run(q.action, q.rows)
	case "n", "N", "esc", "q":
		m.asking = nil
	}
}

// run runs an action.
func (m *model) run(a *Action, rows []Row) {
	m.acting = a.Name
	personal := m.showsPersonal()
	m.running.Go(func() { // not as a command, which the program does not run any more when it ends
		var result Result
		err := wait.CatchPanic(func() (err error) {
			result, err = a.Run(m.ctx, rows, personal)
			return err
		})
		m.view.update(func(m *model) { m.ended(result, err) })
	})
}

// ended shows how an action ended. A panic closes the view.
func (m *model) ended(result Result, err error) {
	m.acting = ""
	if _, isPanic := errors.AsType[*wait.PanicError](err); isPanic {
		m.panicked = err
		return
	}
	if err != nil {
		m.sayMistake(err.Error())
		return
	}
	m.say(result.Said)
	if program := m.view.program; program != nil && result.Copied != "" {
		go program.Send(tea.SetClipboard(result.Copied)())
	}
}
