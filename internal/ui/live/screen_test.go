//go:build !windows

package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/test/testkit"
	"github.com/payctl/payctl/internal/ui"
)

// A screen is a terminal that shows a view.
type screen struct {
	*testkit.Terminal
	t      *testing.T
	view   *View
	before *xterm.State
	ended  chan error
}

// open shows a view on a screen of this size.
func open(t *testing.T, columns, rows int, color bool, config Config, work func(context.Context) error) *screen {
	t.Helper()
	s := &screen{Terminal: testkit.OpenTerminal(t, columns, rows), t: t, ended: make(chan error, 1)}
	var err error
	tty := s.TTY
	s.before, err = xterm.GetState(int(tty.Fd()))
	require.NoError(t, err)
	config.Streams = &ui.Streams{
		In: tty, Out: tty, Err: tty, Screen: tty, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true, ColorOut: color,
	}
	config.Now = func() time.Time { return now }
	config.Environ = []string{"TERM=xterm-256color"}
	s.view = New(config)
	for _, row := range sample() {
		s.view.put(row)
	}
	go func() {
		defer func() {
			if value := recover(); value != nil {
				s.ended <- fmt.Errorf("panic: %v", value)
			}
		}()
		s.ended <- s.view.Run(t.Context(), work)
	}()
	return s
}

// waitForKeys waits until the view reads keys. By then it has also read the terminal's answers to its queries. The
// terminal would show them after a view that ends sooner.
func (s *screen) waitForKeys() {
	s.t.Helper()
	s.WaitForText("quit")
	s.Press("/x")
	s.WaitForText("/x")
}

// close waits for the end of the view, and requires that the terminal is as before.
func (s *screen) close() error {
	s.t.Helper()
	err := <-s.ended
	s.WaitFor("the end", func() bool { return strings.Contains(s.Wrote(), "\x1b[?1049l") })
	s.WaitFor("the terminal as it was", func() bool { return len(testkit.LeftOver(s.Wrote())) == 0 })
	after, stateErr := xterm.GetState(int(s.TTY.Fd()))
	require.NoError(s.t, stateErr)
	require.Equal(s.t, s.before, after)
	require.Empty(s.t, strings.TrimSpace(s.Text()), "the screen is empty")
	return err
}

func until(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// The keys arrive as a terminal sends them. A reply is copied once the terminal confirms it.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 24, false, testConfig(), until)
	s.WaitForText("quit")
	s.Press("2\r")
	s.WaitForText("a reviewer decides")
	s.Press("G")
	s.WaitForText("end of the story")
	s.Press("y")
	s.WaitForText("Sent the reply to the clipboard; the terminal does not confirm it. r shows it.")
	s.WaitFor("the clipboard", func() bool { return strings.Contains(s.Wrote(), "\x1b]52;c;SGVsbG8sCgp0aGU") })
	s.Press("\x1b]52;c;SGVsbG8sCgp0aGUgaWRlbnRpdHkgY2hlY2sgb2YgeW91ciBhY2NvdW50IGlzIHJ1bm5pbmcuCg==\x07")
	s.WaitForText("Copied the reply.")
	s.Press("\x1b")
	s.WaitForText("enter details") // else Esc and the next key become one
	s.Press("3\r")
	s.WaitForText("details could not be read: it is \\x1b[5mgone")
	s.Press("\x1b")
	s.WaitForText("enter details")
	s.Press("0/sanct\r")
	s.WaitForText("  1 of 66")
	s.view.SetTrouble("No route \x1b[1mto it")
	s.WaitForText("No route \\x1b[1mto it")
	s.Press("x\x03")
	require.ErrorIs(t, s.close(), ui.ErrInterrupted)
}

// A view ends with its work, even if that panics, and leaves the terminal as it was.
func TestViewEndsWithItsWork(t *testing.T) {
	t.Parallel()
	for _, end := range []func() error{
		func() error { return errors.New("it is over") }, func() error { panic("it is over") },
	} {
		over := make(chan struct{})
		s := open(t, 80, 24, true, testConfig(), func(context.Context) error {
			<-over
			return end()
		})
		s.waitForKeys()
		close(over)
		require.ErrorContains(t, s.close(), "it is over")
	}
}
