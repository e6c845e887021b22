// Package live is a full-screen view of rows that change. It shows whose turn it is, the newest change, the details of
// the selected row, and the reply to its customer. All texts are sanitised by package ui and cut by display width. The
// view uses the terminal's alternate screen, so the previous content returns at its end, also after a panic.
//
// File live.go has the interface for callers, and columns.go common columns. model.go has the state and its messages,
// keys.go the keys, and reply.go the replies. order.go keeps the rows in order, and filter.go selects some. frame.go
// composes the screen from draw_rows.go and page.go, which has the details and the help.
package live

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// ErrQuit is the error of a view that the user has closed with q.
var ErrQuit = errors.New("the view was closed")

// A Row is one line of the list.
type Row struct {
	ID string
	// Group is the index of the row's group in Config.Groups.
	Group int
	// Status is the status of the row.
	Status ui.Cell
	// Since is when the row got its status. Zero means unknown.
	Since time.Time
	// Deadline is when the status ends at the latest. Zero means never.
	Deadline time.Time
	// Why explains the status in words. It may be empty.
	Why string
	// Data is for the caller's columns and details. The view does not use it.
	Data any
}

// A Moment is everything that a cell depends on, besides its row.
type Moment struct {
	Now time.Time // by the service's clock
	// Personal reports whether personal data is shown.
	Personal bool
}

// A Column is a column of the list. Its Name is the field in a filter, such as status:approved. Filters search the
// column's text with personal data.
type Column struct {
	ui.Column
	// Cell returns the column's cell of a row.
	Cell func(row *Row, at Moment) ui.Cell
	// Passes reports that the cell shows the passing of time. Filters do not search it.
	Passes bool
	// Explains gives the column its whole text before lower columns get any room.
	Explains bool
}

// Config configures a view.
type Config struct {
	Streams *ui.Streams
	// Title is the heading. Noun names the rows, such as "accounts". Service says where they are.
	Title, Noun, Service string
	// Groups are the names of the groups, in ASCII, with their tones. The rows are in this order, and the digits 1, 2,
	// … select a group.
	Groups []ui.Cell
	// Rare is the group whose rows come first. Its name is hidden while it has no rows. Empty means none.
	Rare string
	// Columns are the columns of the list. The first identifies the row.
	Columns []Column
	// Details reads the details of a row, and returns a function that shows them. A field without values is a blank
	// line.
	Details func(ctx context.Context, row Row) (show func(at Moment) ui.Details, err error)
	// Reply returns the text for a person about a row, with the name only if personal is set.
	Reply func(ctx context.Context, id string, personal bool) (string, error)
	// HasPersonal offers P, which shows personal data for a minute. ShowPersonal always shows it.
	HasPersonal, ShowPersonal bool
	// Now is the clock of this machine. ServiceNow is the service's, for ages and deadlines. Its time zone is shown.
	Now, ServiceNow func() time.Time
	// Environ is the environment, which describes the terminal.
	Environ []string
}

// A View is shown by Run. Its other methods are safe for concurrent use, also before and after Run.
type View struct {
	config Config

	mu       sync.Mutex // of what follows
	model    *model
	program  *tea.Program // nil before Run and after it
	notified bool         // the program is told to draw
}

// New returns a view.
func New(config Config) *View {
	v := &View{config: config}
	v.model = newModel(v)
	return v
}

// Update changes a row, or adds it if the change gives it a status. A row with news is marked for a minute, and a line
// shows what has changed until the next news.
func (v *View) Update(id string, isNews bool, edit func(row *Row)) {
	v.update(func(m *model) {
		row, from := Row{ID: id}, ""
		if e := m.board.byID[id]; e != nil {
			row, from = *e.row, e.row.Status.Text
		}
		if edit(&row); row.Status.Text == "" && from == "" {
			return
		}
		if e := m.board.put(row); isNews {
			m.changedAt = m.now()
			e.changed = m.changedAt
			m.note = m.changeText(&row, from)
		}
	})
}

// SetPolled shows that the statuses are polled, such as "polled every 5s". Empty means that they no longer are.
func (v *View) SetPolled(text string) { v.update(func(m *model) { m.polled = text }) }

// Visible returns the identifiers of the rows on the screen.
func (v *View) Visible() (ids []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	shown := v.model.board.shown
	top := min(v.model.top, len(shown))
	for _, e := range shown[top:min(top+v.model.listHeight(), len(shown))] {
		ids = append(ids, e.row.ID)
	}
	return ids
}

// Row returns a row, if there is one.
func (v *View) Row(id string) (row Row, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.model.board.byID[id]; e != nil {
		return *e.row, true
	}
	return Row{}, false
}

// Loaded reports that the first rows have been read.
func (v *View) Loaded() { v.update(func(m *model) { m.loading = false }) }

// SetTrouble shows why no news comes in, such as "The service does not answer: …". Empty means that news comes in
// again.
func (v *View) SetTrouble(text string) {
	v.update(func(m *model) {
		if m.trouble == "" || text == "" {
			m.troubleSince = m.now()
		}
		m.trouble = text
	})
}

// Note shows a sentence until the next one.
func (v *View) Note(text string) { v.update(func(m *model) { m.note = text }) }

// drawAfter is how soon a change is drawn, together with others meanwhile.
const drawAfter = 100 * time.Millisecond

// update changes the model, and makes the program draw it. A blocked terminal holds up the program, but not callers.
func (v *View) update(change func(*model)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(v.model)
	if program := v.program; program != nil && !v.notified {
		v.notified = true
		time.AfterFunc(drawAfter, func() { program.Send(updated{}) })
	}
}

// Run shows the view while work runs, and returns work's error. If the user closes the view first, the context of work
// ends and the error is ErrQuit (q) or ui.ErrInterrupted (Ctrl-C). A panic of work is passed on after the terminal is
// restored.
func (v *View) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := v.model
	m.ctx = ctx
	program := tea.NewProgram(m, tea.WithInput(v.config.Streams.In), tea.WithOutput(v.config.Streams.Screen),
		tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond), tea.WithColorProfile(v.config.Streams.ColorProfile()),
		tea.WithEnvironment(v.config.Environ))
	v.mu.Lock()
	v.program = program
	v.mu.Unlock()
	worked := make(chan error, 1)
	go func() {
		err := wait.CatchPanic(func() error { return work(ctx) })
		v.update(func(m *model) { m.isOver = true })
		worked <- err
	}()
	_, err := program.Run()
	v.mu.Lock()
	v.program = nil
	err, wasOver := cmp.Or(m.closed, err), m.isOver
	v.mu.Unlock()
	cancel() // work need not go on without a screen
	workErr := <-worked
	wait.PassOnPanic(workErr)
	if err == nil || wasOver {
		return workErr
	}
	return err
}
