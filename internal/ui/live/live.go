// Package live is a full-screen view of a list that changes while it is shown: counts by status at the top, the rows
// that need attention first, and the details of the selected row below. All texts pass the sanitiser of package ui
// and are cut by their display width. The view uses the terminal's alternate screen, so that the previous content is
// back when it ends, also after a panic.
package live

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// ErrQuit is the error of a view that the user has closed with q.
var ErrQuit = errors.New("the view was closed")

// A Row is one line of the list.
type Row struct {
	ID   string
	Name string // may be empty
	// Since is when the row got its status, and Why explains it in words; it may be empty.
	Status ui.Cell
	Since  time.Time
	Why    string
	// Rank orders the rows, the lowest first. Within a rank, those longest in their status come first.
	Rank int
	// Working shows a spinner.
	Working bool
}

// Config is how to show a view.
type Config struct {
	Streams *ui.Streams
	// Keys is where the keys are read from, as Keyboard returns it.
	Keys io.Reader
	// Title is the heading, Noun names the rows, such as "accounts", and Header is the heading of their identifiers.
	Title, Noun, Header string
	// Details reads the details of a row when it is selected; nil: there are none.
	Details func(ctx context.Context, id string) (ui.Details, error)
	// Now is the clock.
	Now func() time.Time
	// Environ is the environment, which describes the terminal.
	Environ []string
}

// A View is shown by Run. Its other methods are safe for concurrent use, also before and after Run.
type View struct {
	config   Config
	board    board
	program  atomic.Pointer[tea.Program] // nil before Run
	notified atomic.Bool                 // a redraw is under way
}

// Keyboard returns where the keys are read from: standard input or, if that is not a terminal, the terminal itself,
// which release closes. The error means that there is no keyboard.
func Keyboard(s *ui.Streams) (keys io.Reader, release func() error, err error) {
	if s.InTTY {
		return s.In, func() error { return nil }, nil
	}
	in, out, err := tea.OpenTTY()
	if err != nil {
		return nil, nil, err
	}
	return in, func() error { return errors.Join(in.Close(), out.Close()) }, nil
}

// New returns a view.
func New(config Config) *View {
	return &View{config: config, board: board{rows: map[string]*Row{}}}
}

// Put adds a row, or replaces the one with its ID.
func (v *View) Put(row Row) {
	v.board.put(row, v.config.Now())
	v.redraw()
}

// SetName gives a row a name, unless it has one.
func (v *View) SetName(id, name string) {
	v.board.setName(id, name)
	v.redraw()
}

// Remove removes a row.
func (v *View) Remove(id string) {
	v.board.update(func() {
		delete(v.board.rows, id)
		v.board.unsorted = true
	})
	v.redraw()
}

// SetTrouble shows that the source of the rows cannot be reached; nil, that it can.
func (v *View) SetTrouble(err error) {
	v.board.update(func() { v.board.trouble, v.board.troubleSince = err, v.config.Now() })
	v.redraw()
}

// Note shows a sentence until the next one.
func (v *View) Note(text string) {
	v.board.update(func() { v.board.note = text })
	v.redraw()
}

// boardChanged makes the program's loop redraw the board.
type boardChanged struct{}

// redraw sends a boardChanged, unless one is under way.
func (v *View) redraw() {
	if program := v.program.Load(); program != nil && !v.notified.Swap(true) {
		go program.Send(boardChanged{})
	}
}

// Run shows the view while work runs, and returns work's error. When the user closes the view, the context of work
// ends and the error is ErrQuit (q) or ui.ErrInterrupted (Ctrl-C). A panic of work is passed on after the terminal is
// restored.
func (v *View) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := v.config.Streams
	m := &model{view: v, ctx: ctx, details: map[string]rowDetails{}}
	program := tea.NewProgram(m,
		tea.WithInput(v.config.Keys), tea.WithOutput(s.Screen), tea.WithoutSignalHandler(),
		tea.WithColorProfile(s.ColorProfile()), tea.WithEnvironment(v.config.Environ))
	v.program.Store(program)
	unwatch := m.suspender.watch(program)
	worked := make(chan error, 1)
	go func() {
		defer program.Quit()
		worked <- wait.CatchPanic(func() error { return work(ctx) })
	}()
	_, err := program.Run()
	unwatch()
	if m.closed != nil {
		err = m.closed
	}
	if err != nil {
		cancel(err) // work need not go on without a screen
	}
	workErr := <-worked
	wait.PassOnPanic(workErr)
	if m.closed != nil || workErr == nil {
		return err
	}
	return workErr
}
