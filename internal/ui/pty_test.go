//go:build !windows

package ui

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"
)

// screen collects what a terminal shows and tells when it shows something.
type screen struct {
	mu    sync.Mutex
	seen  bytes.Buffer
	grown chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Write(b)
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// waitFor returns when the screen shows text.
func (s *screen) waitFor(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.grown:
		case <-t.Context().Done():
			t.Fatalf("never saw %q, only %q", text, s.String())
		}
	}
}

// terminal is a pseudo-terminal with its keyboard (the *os.File) and its screen.
func terminal(t *testing.T) (*Streams, *os.File, *screen) {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	shown := &screen{grown: make(chan struct{}, 1)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(shown, keyboard)
	}()
	t.Cleanup(func() {
		_, _ = keyboard.WriteString("\n\n") // ends a read that outlived its context, which would hold Close up
		_ = tty.Close()
		_ = keyboard.Close()
		<-read
	})
	s := &Streams{In: tty, Out: tty, Err: tty, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true}
	return s, keyboard, shown
}

func state(t *testing.T, s *Streams) *xterm.State {
	t.Helper()
	st, err := xterm.GetState(int(s.In.(*os.File).Fd()))
	require.NoError(t, err)
	return st
}

type answer struct {
	text string
	err  error
}

func askSecret(ctx context.Context, s *Streams) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		text, err := s.AskSecret(ctx, "Client secret")
		done <- answer{text, err}
	}()
	return done
}

func TestSecretIsNotEchoed(t *testing.T) {
	t.Parallel()
	s, keyboard, shown := terminal(t)
	before := state(t, s)
	done := askSecret(t.Context(), s)
	shown.waitFor(t, "Client secret: ")
	_, err := keyboard.WriteString("hunteX\x7f2 ü\r")
	require.NoError(t, err)
	require.Equal(t, answer{"hunte2 ü", nil}, <-done)
	require.Equal(t, before, state(t, s))

	// The terminal echoes again: the same keys typed at an ordinary prompt are seen, and by then so would
	// be anything that the secret had left.
	asked := make(chan answer, 1)
	go func() {
		text, err := s.Ask(t.Context(), "Name:")
		asked <- answer{text, err}
	}()
	shown.waitFor(t, "Name: ")
	_, err = keyboard.WriteString("visible\n")
	require.NoError(t, err)
	require.Equal(t, answer{"visible", nil}, <-asked)
	shown.waitFor(t, "visible\r\n")
	require.Equal(t, "Client secret: \r\nName: visible\r\n", shown.String())
}

func TestSecretInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys string
		err  error
	}{
		"Ctrl-C": {"hunter2\x03", ErrInterrupted},
		"Ctrl-D": {"\x04", ErrNoAnswer},
		"long":   {strings.Repeat("x", maxAnswer) + "\r", ErrAnswerTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, keyboard, shown := terminal(t)
			before := state(t, s)
			done := askSecret(t.Context(), s)
			shown.waitFor(t, "Client secret: ")
			_, err := keyboard.WriteString(c.keys)
			require.NoError(t, err)
			got := <-done
			require.ErrorIs(t, got.err, c.err)
			require.Empty(t, got.text)
			require.Equal(t, before, state(t, s))
			shown.waitFor(t, "\r\n")
			require.Equal(t, "Client secret: \r\n", shown.String())
		})
	}
	require.ErrorIs(t, ErrInterrupted, context.Canceled)
}

// watched reports each byte that was read, because a secret is not echoed.
type watched struct {
	*os.File
	read chan byte
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.File.Read(p)
	for _, b := range p[:n] {
		w.read <- b
	}
	return n, err
}

func TestSecretEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, keyboard, shown := terminal(t)
	before := state(t, s)
	in := watched{s.In.(*os.File), make(chan byte, 16)}
	s.In = in
	ctx, cancel := context.WithCancel(t.Context())
	done := askSecret(ctx, s)
	shown.waitFor(t, "Client secret: ")
	_, err := keyboard.WriteString("hunt")
	require.NoError(t, err)
	for _, b := range []byte("hunt") {
		require.Equal(t, b, <-in.read)
	}
	cancel()
	got := <-done
	require.ErrorIs(t, got.err, context.Canceled)
	require.Empty(t, got.text)
	s.In = in.File
	require.Equal(t, before, state(t, s))
	shown.waitFor(t, "\r\n")
	require.Equal(t, "Client secret: \r\n", shown.String())

	_, err = s.AskSecret(ctx, "again")
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, shown.String(), "again")
}

func TestConfirmOnTerminal(t *testing.T) {
	t.Parallel()
	s, keyboard, shown := terminal(t)
	done := make(chan bool, 1)
	go func() {
		ok, err := s.Confirm(t.Context(), "Send 12.50 USD?")
		done <- ok && err == nil
	}()
	shown.waitFor(t, "[y/N] ")
	_, err := keyboard.WriteString("y\n")
	require.NoError(t, err)
	require.True(t, <-done)
}

func TestWidthOfATerminal(t *testing.T) {
	t.Parallel()
	s, keyboard, _ := terminal(t)
	require.NoError(t, pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 133}))
	s.Columns = func() int {
		w, _, err := xterm.GetSize(int(s.Out.(*os.File).Fd()))
		require.NoError(t, err)
		return w
	}
	require.Equal(t, 133, s.Width())
}

// TestColorChild draws in colour with the streams of its own process; TestColorAsksTheTerminalNothing
// runs it.
func TestColorChild(t *testing.T) {
	if os.Getenv("TERM_TEST_CHILD") == "" {
		t.Skip("runs as a child process")
	}
	s := System(os.Getenv)
	require.True(t, s.ColorOut && s.ColorErr && s.OutTTY && s.ErrTTY && s.InTTY)
	p, err := NewPrinter(s, FormatTable, "")
	require.NoError(t, err)
	sampleTable().print(t, p)
	s.Problem(sampleProblem())
}

// A terminal that never answers a query must not hold a command up, so none may be sent: no OSC at all
// (background colour), no DSR or DA (cursor position, device attributes).
func TestColorAsksTheTerminalNothing(t *testing.T) {
	t.Parallel()
	s, _, shown := terminal(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestColorChild$")
	child.Env = append(os.Environ(), "TERM_TEST_CHILD=1", "TERM=xterm-256color", "COLORTERM=truecolor",
		"CLICOLOR=", "CLICOLOR_FORCE=", "NO_COLOR=")
	tty := s.In.(*os.File)
	child.Stdin, child.Stdout, child.Stderr = tty, tty, tty
	require.NoError(t, child.Run(), "%s", shown)
	shown.waitFor(t, "PASS")
	require.Contains(t, shown.String(), "\x1b[38;5;29m")
	require.NotContains(t, shown.String(), "\x1b]")
	require.NotRegexp(t, `\x1b\[[?>=0-9;]*[nc]`, shown.String())
}
