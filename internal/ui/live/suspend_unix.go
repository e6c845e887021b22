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

// suspendTimeout is how long the system may take to suspend the program. If no shell could continue it, as in a
// container, the kernel does not suspend it at all.
const suspendTimeout = 300 * time.Millisecond

// canSuspend is true: Ctrl-Z suspends the program.
const canSuspend = true

// A suspender releases the terminal while Ctrl-Z suspends the program, and has it redrawn when the program is
// resumed, also if another program has suspended it.
//
// It does not catch SIGTSTP: the Go runtime cannot restore its default action, which is to suspend the program.
type suspender struct {
	resume atomic.Pointer[chan struct{}] // is closed when a program that Ctrl-Z suspended is resumed; nil: it did not
}

// resumed is the message that the program has been resumed after another program has suspended it.
type resumed struct{}

// watch passes each SIGCONT on, until stop is called: to the suspendJob that waits for it, or else to the program.
func (s *suspender) watch(program *tea.Program) (stop func()) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	go func() {
		for range continued {
			if resume := s.resume.Swap(nil); resume != nil {
				close(*resume)
			} else {
				program.Send(resumed{})
			}
		}
	}()
	return func() {
		signal.Stop(continued)
		close(continued)
	}
}

// suspend returns the command that suspends the program.
func (s *suspender) suspend() tea.Cmd { return tea.Exec(released{s.suspendJob}, clearScreen) }

// redraw returns the command that sets up the terminal again and redraws it.
func (s *suspender) redraw() tea.Cmd {
	return tea.Exec(released{func() error { return nil }}, clearScreen)
}

func clearScreen(error) tea.Msg { return tea.ClearScreen() } // an error shows with the next key

// suspendJob suspends all processes of the job, as the terminal does, and returns when they are resumed.
func (s *suspender) suspendJob() error {
	resume := make(chan struct{})
	s.resume.Store(&resume)
	defer s.resume.Store(nil)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return err
	}
	for range 2 { // the time passes also while the program is stopped, and the signal comes a moment after it goes on
		select {
		case <-resume:
			return nil
		case <-time.After(suspendTimeout):
		}
	}
	return nil
}

// released runs a function while the terminal is released, as a tea.ExecCommand.
type released struct{ run func() error }

func (r released) Run() error { return r.run() }

func (released) SetStdin(io.Reader)  {}
func (released) SetStdout(io.Writer) {}
func (released) SetStderr(io.Writer) {}
