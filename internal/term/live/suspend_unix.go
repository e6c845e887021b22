//go:build !windows

package live

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// stopsWithin is how long the system may take to stop the program. Where nobody could continue it, as in a container, it is
// not stopped at all.
const stopsWithin = 300 * time.Millisecond

// A stopper lets go of the terminal while Ctrl-Z stops the program, and has it taken and drawn again when the program goes on,
// also after another program has stopped it.
//
// SIGTSTP itself is not caught: the Go runtime does not give back what it does by itself, which is to stop the program.
type stopper struct{ stopping atomic.Bool }

// goneOn tells the program's loop that the program was stopped and goes on.
type goneOn struct{}

// watch tells the loop when the program goes on after another has stopped it, until the end.
func (s *stopper) watch(program *tea.Program) (end func()) {
	goesOn, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(goesOn, unix.SIGCONT)
	go func() {
		for {
			select {
			case <-goesOn:
				if !s.stopping.Load() {
					program.Send(goneOn{})
				}
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(goesOn)
		close(over)
	}
}

// stop is the command that stops the program.
func (s *stopper) stop() tea.Cmd { return tea.Exec(&stopped{s}, drawAgain) }

// retake is the command that takes and draws the terminal again.
func (s *stopper) retake() tea.Cmd { return tea.Exec(&stopped{}, drawAgain) }

func drawAgain(error) tea.Msg { return tea.ClearScreen() } // whether it could be taken, the next key shows

// A stopped is run in place of the view. With a stopper, the whole job is stopped, as the terminal would.
type stopped struct{ stopper *stopper }

// Run implements tea.ExecCommand.
func (s *stopped) Run() error {
	if s.stopper == nil {
		return nil
	}
	s.stopper.stopping.Store(true)
	defer s.stopper.stopping.Store(false)
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, unix.SIGCONT)
	defer signal.Stop(goesOn)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return err
	}
	timer := time.NewTimer(stopsWithin)
	defer timer.Stop()
	select {
	case <-goesOn:
	case <-timer.C:
	}
	return nil
}

// SetStdin implements tea.ExecCommand.
func (*stopped) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (*stopped) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (*stopped) SetStderr(io.Writer) {}
