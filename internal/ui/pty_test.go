//go:build !windows

package ui

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A question asks for a secret at a terminal.
type question struct {
	*testkit.Terminal
	t       *testing.T
	streams *Streams
	before  *xterm.State
	ended   chan answer
}

type answer struct {
	text string
	err  error
}

// at returns a question at a new terminal.
func at(t *testing.T) *question {
	t.Helper()
	q := &question{Terminal: testkit.OpenTerminal(t, 80, 24), t: t, ended: make(chan answer, 1)}
	t.Cleanup(func() { q.Press("\n\n") }) // ends a read that outlived its context and would block Close
	q.streams = &Streams{In: q.TTY, Out: q.TTY, Err: q.TTY, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true}
	q.before = q.state()
	return q
}

func (q *question) state() *xterm.State {
	q.t.Helper()
	state, err := xterm.GetState(int(q.TTY.Fd()))
	require.NoError(q.t, err)
	return state
}

// ask asks the question and waits until it is shown.
func (q *question) ask(ctx context.Context) {
	q.t.Helper()
	go func() {
		text, err := q.streams.AskSecret(ctx, "Client secret")
		q.ended <- answer{text, err}
	}()
	q.WaitForText("Client secret:")
}

// requireNoEcho requires that the terminal is as before and shows only the question.
func (q *question) requireNoEcho() {
	q.t.Helper()
	require.Equal(q.t, q.before, q.state())
	q.WaitFor("the end of the line", func() bool { return strings.Contains(q.Wrote(), "\r\n") })
	require.Equal(q.t, "Client secret: \r\n", q.Wrote())
}

func TestSecretIsNotEchoed(t *testing.T) {
	t.Parallel()
	q := at(t)
	q.ask(t.Context())
	q.Press("hunteX\x7f2 ü\r")
	require.Equal(t, answer{"hunte2 ü", nil}, <-q.ended)
	q.requireNoEcho()

	// The terminal echoes again: keys typed at an ordinary prompt are seen. By then, anything left of the secret would
	// also be seen.
	go func() {
		text, err := q.streams.Ask(t.Context(), "Name:")
		q.ended <- answer{text, err}
	}()
	q.WaitForText("Name:")
	q.Press("visible\n")
	require.Equal(t, answer{"visible", nil}, <-q.ended)
	q.WaitFor("the echo", func() bool { return q.Wrote() == "Client secret: \r\nName: visible\r\n" })
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
			q := at(t)
			q.ask(t.Context())
			q.Press(c.keys)
			got := <-q.ended
			require.ErrorIs(t, got.err, c.err)
			require.Empty(t, got.text)
			q.requireNoEcho()
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
	q := at(t)
	in := watched{q.TTY, make(chan byte, 16)}
	q.streams.In = in
	ctx, cancel := context.WithCancel(t.Context())
	q.ask(ctx)
	q.Press("hunt")
	for _, b := range []byte("hunt") {
		require.Equal(t, b, <-in.read)
	}
	cancel()
	got := <-q.ended
	require.ErrorIs(t, got.err, context.Canceled)
	require.Empty(t, got.text)
	q.requireNoEcho()

	_, err := q.streams.AskSecret(ctx, "again")
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, q.Wrote(), "again")
}

// TestColorChild draws in colour with the streams of its own process; TestColorAsksTheTerminalNothing runs it.
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

// A terminal that never answers a query must not block a command, so no query may be sent: no OSC (background colour),
// no DSR (cursor position) and no DA (device attributes).
func TestColorAsksTheTerminalNothing(t *testing.T) {
	t.Parallel()
	shown := testkit.OpenTerminal(t, 80, 24)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestColorChild$")
	child.Env = append(os.Environ(), "TERM_TEST_CHILD=1", "TERM=xterm-256color", "COLORTERM=truecolor",
		"CLICOLOR=", "CLICOLOR_FORCE=", "NO_COLOR=")
	shown.Start(child)
	require.Zero(t, shown.Finish(child), shown.Wrote())
	require.Contains(t, shown.Wrote(), "\x1b[38;5;29m")
	require.NotContains(t, shown.Wrote(), "\x1b]")
	require.NotRegexp(t, `\x1b\[[?>=0-9;]*[nc]`, shown.Wrote())
}
