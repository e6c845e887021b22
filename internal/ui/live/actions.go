package live

import (
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// chosen returns the rows of an action.
func (m *model) chosen(a *Action) (rows []Row) {
	if (a.Several || a.AllShown) && m.board.marked > 0 {
		for _, e := range m.board.all {
			if e.marked {
				rows = append(rows, *e.row)
			}
		}
		return rows
	}
	if a.AllShown {
		for _, e := range m.board.shown {
			rows = append(rows, *e.row)
		}
		return rows
	}
	if row := m.row(); row != nil {
		rows = append(rows, *row)
	}
	return rows
}

// act runs an action.
func (m *model) act(a *Action) {
	if m.acting != "" {
		m.sayMistake("Wait until this is done: " + m.acting + ".")
		return
	}
	rows := m.chosen(a)
	if len(rows) == 0 && !a.AllShown {
		m.sayMistake("There is no row for this: " + a.Name + ".")
		return
	}
	if len(rows) > 0 && !a.AllShown {
		m.visits.add(rows[0].ID)
		m.moved = true // the row stays selected
	}
	m.acting = a.Name
	dialog := &Dialog{view: m.view}
	m.running.Go(func() { // not as a command, which the program does not run any more when it ends
		var done string
		err := wait.CatchPanic(func() (err error) {
			done, err = a.Run(m.ctx, dialog, rows)
			return err
		})
		m.view.send(func(m *model) { m.ended(done, err) })
	})
}

func isPanic(err error) bool {
	_, is := errors.AsType[*wait.PanicError](err)
	return is
}

// ended shows how an action ended. A panic closes the view.
func (m *model) ended(done string, err error) {
	m.acting, m.question = "", nil
	switch {
	case isPanic(err):
		m.panicked = err
	case errors.Is(err, ErrCancelled):
	case err != nil:
		m.showResult(err.Error(), true)
	default:
		m.showResult(done, false)
	}
}

// showResult shows how an action ended: in the line of the notes or, if the text is too long for that, until a key is
// pressed.
func (m *model) showResult(text string, isMistake bool) {
	if ui.CellWidth(ui.Sanitize(text)) > m.width || strings.Contains(text, "\n") || m.isOver && isMistake {
		m.question = newNotice(m, text)
		return
	}
	m.said, m.isMistake = text, isMistake
}
