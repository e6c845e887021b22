// Package live is a view on a terminal that redraws itself: a list of many things that change by themselves, what stands
// out first, with counts above it and the whole story of one below. Whatever it is given passes the sanitiser of term and
// is cut by its display width. It draws on the terminal's alternate screen, so that what was on the screen before is there
// again when it ends, also when it ends by a panic.
package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/payctl/payctl/internal/term"
)

// ErrQuit says that the user has seen enough (q).
var ErrQuit = errors.New("the view was closed")

// A Row is one thing.
type Row struct {
	ID   string
	Name string // may be empty
	// Status is what it is, Since when that began, and Why the reason in words, which may be empty.
	Status term.Cell
	Since  time.Time
	Why    string
	// Rank orders the rows, the least first; within a rank, the longest in their status.
	Rank int
	// Working shows that something is under way.
	Working bool
}

// Config is what a view is made of.
type Config struct {
	Streams *term.Streams
	// Keys is what is typed; nil: the standard input.
	Keys io.Reader
	// Title says what is shown, Noun what the things are, as in "accounts", and Header what one is.
	Title, Noun, Header string
	// Details tells the whole story of one thing, when somebody looks at it.
	Details func(ctx context.Context, id string) (term.Details, error)
	// Now is the time that durations are counted to; nil: the machine's.
	Now func() time.Time
	// Environ is the environment that tells of the terminal; nil: the process's.
	Environ []string
}

// A View is shown by Run. Its other methods may be called from any goroutine, before and after too.
type View struct {
	config Config
	board  board

	mu      sync.Mutex
	program *tea.Program
	woken   bool
}

// Keyboard is where the keys come from: standard input or, where that is something else, the terminal itself, which the
// caller closes. The error says that there is none.
func Keyboard(s *term.Streams) (keys io.Reader, done func() error, err error) {
	if s.InTTY {
		return s.In, func() error { return nil }, nil
	}
	in, out, err := tea.OpenTTY()
	if err != nil {
		return nil, nil, err
	}
	return in, func() error { return errors.Join(in.Close(), out.Close()) }, nil
}

// New makes a view.
func New(config Config) *View {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Environ == nil {
		config.Environ = os.Environ()
	}
	if config.Keys == nil {
		config.Keys = config.Streams.In
	}
	return &View{config: config, board: board{rows: map[string]*Row{}}}
}

// Put shows a row, in place of the one with its ID.
func (v *View) Put(row Row) {
	v.board.put(row, v.config.Now())
	v.wake()
}

// Name gives a row that has none its name.
func (v *View) Name(id, name string) {
	v.board.name(id, name)
	v.wake()
}

// Remove takes a row away.
func (v *View) Remove(id string) {
	v.board.remove(id)
	v.wake()
}

// Condition tells whether what the rows come from can be reached; nil is well.
func (v *View) Condition(err error) {
	v.board.condition(err, v.config.Now())
	v.wake()
}

// Note shows a sentence until the next.
func (v *View) Note(text string) {
	v.board.tell(text)
	v.wake()
}

// changed tells the program that there is something new to draw.
type changed struct{}

// wake makes the view redraw, once for all that is new.
func (v *View) wake() {
	v.mu.Lock()
	program, woken := v.program, v.woken
	v.woken = true
	v.mu.Unlock()
	if program != nil && !woken {
		go program.Send(changed{})
	}
}

func (v *View) awake() {
	v.mu.Lock()
	v.woken = false
	v.mu.Unlock()
}

// Run shows the view while work runs, and returns work's error. When the user ends the view the work's context ends, and
// the error is ErrQuit (q) or term.ErrInterrupted (Ctrl-C). A panic is passed on when the terminal is as it was.
func (v *View) Run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := v.config.Streams
	profile := colorprofile.ASCII
	if s.ColorOut {
		profile = colorprofile.ANSI
	}
	m := &model{view: v, ctx: ctx, details: map[string]story{}}
	program := tea.NewProgram(m,
		tea.WithInput(v.config.Keys), tea.WithOutput(s.Screen), tea.WithoutSignalHandler(),
		tea.WithColorProfile(profile), tea.WithEnvironment(v.config.Environ))
	v.mu.Lock()
	v.program, v.woken = program, false
	v.mu.Unlock()
	endStops := m.stopper.watch(program)
	ended := make(chan error, 1)
	go func() {
		defer program.Quit()
		ended <- guarded(func() error { return work(ctx) })
	}()
	_, err := program.Run()
	endStops()
	if m.left != nil {
		cancel(m.left)
	} else if err != nil {
		cancel(err) // the screen is gone: nobody would see the rest
	}
	worked := <-ended
	if crash, ok := errors.AsType[*crash](worked); ok {
		panic(crash.Error())
	}
	if m.left != nil {
		return m.left
	}
	if err != nil && worked == nil {
		return err
	}
	return worked
}

// A crash is a panic of the work, kept until the terminal is as it was.
type crash struct {
	value any
	stack []byte
}

// Error implements error.
func (c *crash) Error() string { return fmt.Sprintf("%v\n%s", c.value, c.stack) }

func guarded(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &crash{value, debug.Stack()}
		}
	}()
	return work()
}
