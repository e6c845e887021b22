//go:build !windows

package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/ui"
)

// A screen is a pseudo-terminal with a keyboard.
type screen struct {
	t        *testing.T
	view     *View
	keyboard *os.File
	tty      *os.File
	before   *xterm.State

	mu      sync.Mutex
	shown   vt10x.Terminal
	raw     bytes.Buffer
	unshown []byte // the beginning of a character
	changed chan struct{}
	ended   chan error
}

// open shows a view on a screen of a size.
func open(t *testing.T, columns, rows int, color bool, config Config, work func(context.Context) error) *screen {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	s := &screen{t: t, keyboard: keyboard, tty: tty, shown: vt10x.New(vt10x.WithSize(columns, rows)), changed: make(chan struct{}, 1), ended: make(chan error, 1)}
	s.resize(columns, rows)
	s.before, err = xterm.GetState(int(tty.Fd()))
	require.NoError(t, err)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(s, keyboard)
	}()
	config.Streams = &ui.Streams{In: tty, Out: tty, Err: tty, Screen: tty, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true, ColorOut: color}
	config.Now = func() time.Time { return now }
	config.Keys = tty
	config.Environ = []string{"TERM=xterm-256color"}
	s.view = New(config)
	for _, row := range sample() {
		s.view.Put(row)
	}
	go func() {
		defer func() {
			if value := recover(); value != nil {
				s.ended <- fmt.Errorf("panic: %v", value)
			}
		}()
		s.ended <- s.view.Run(t.Context(), work)
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = keyboard.Close()
		<-read
	})
	return s
}

func (s *screen) resize(columns, rows int) {
	require.NoError(s.t, pty.Setsize(s.keyboard, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}))
}

// Write shows what the program wrote.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	s.unshown = append(s.unshown, p...)
	n := len(s.unshown)
	for i := max(n-utf8.UTFMax, 0); i < n; i++ { // vt10x drops a character that comes in parts
		if utf8.RuneStart(s.unshown[i]) && !utf8.FullRune(s.unshown[i:]) {
			n = i
		}
	}
	_, err := s.shown.Write(s.unshown[:n])
	s.unshown = s.unshown[n:]
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return len(p), err
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

func (s *screen) wrote() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// waitFor returns when the screen is as wanted.
func (s *screen) waitFor(what string, is func() bool) {
	s.t.Helper()
	over := time.After(30 * time.Second)
	for !is() {
		select {
		case <-s.changed:
		case <-over:
			s.t.Fatalf("never saw %s, but\n%s", what, s.text())
		}
	}
}

func (s *screen) waitForText(text string) {
	s.t.Helper()
	s.waitFor(text, func() bool { return strings.Contains(s.text(), text) })
}

func (s *screen) press(keys string) {
	_, err := s.keyboard.WriteString(keys)
	require.NoError(s.t, err)
}

// close waits for the end of the view. The terminal is as it was before.
func (s *screen) close() error {
	s.t.Helper()
	err := <-s.ended
	s.waitFor("the end", func() bool { return strings.Contains(s.wrote(), "\x1b[?1049l") })
	s.waitFor("the cursor", func() bool {
		return strings.Contains(s.wrote()[strings.LastIndex(s.wrote(), "\x1b[?25l"):], "\x1b[?25h")
	})
	after, stateErr := xterm.GetState(int(s.tty.Fd()))
	require.NoError(s.t, stateErr)
	require.Equal(s.t, s.before, after)
	require.Empty(s.t, strings.TrimSpace(s.text()), "nothing is left over")
	return err
}

// drawing is the screen with its colours, as escape sequences.
func (s *screen) drawing() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	columns, rows := s.shown.Size()
	var b strings.Builder
	for y := range rows {
		style, line := "", ""
		for x := range columns {
			glyph := s.shown.Cell(x, y)
			next := ""
			if glyph.Mode&4 != 0 { // vt10x's bold
				next += "1;"
			}
			if glyph.FG < 16 {
				next += fmt.Sprintf("%d;", 30+glyph.FG)
			}
			if next != style {
				line += "\x1b[0m"
				if next != "" {
					line += "\x1b[" + strings.TrimSuffix(next, ";") + "m"
				}
				style = next
			}
			line += string(glyph.Char)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func until(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 24, false, testConfig(), until)
	s.waitForText("staff decides")
	require.NotContains(t, s.text(), "end of the story")
	s.press("\r")
	s.waitForText("esc list")
	s.press("G")
	s.waitForText("end of the story")
	s.press("g")
	s.waitForText("more lines: down")
	s.press("P")
	s.waitForText("Personal data is shown for 1")
	s.press("\x1b")
	s.waitForText("▸  staff     …01kdwcj2m07dx6vaehz84r9gf1")
	s.press("Pjjjj")
	s.waitForText("details could not be read: it is \\x1b[5mgone")
	s.press("c")
	s.waitForText("Copied acc_01kdwcj2m07dx6vaehz84r9gf3")
	s.waitFor("the clipboard", func() bool { return strings.Contains(s.wrote(), "\x1b]52;c;YWNjXzAxa2R3Y2oybTA3ZHg2dmFlaHo4NHI5Z2Yz") })
	s.press("G")
	s.waitForText("▸  done      …01kdwcj2m07dx6vaehz84r9zzz")
	s.press("g")
	s.waitForText("▸  staff     …01kdwcj2m07dx6vaehz84r9gf1")
	s.press("/sanct")
	s.waitForText("/sanct▏")
	s.press("\r")
	s.waitForText("  1 of 66")
	s.press("\x1b")
	s.waitFor("no filter", func() bool { return !strings.Contains(s.text(), "/sanct") })
	s.press("/name:muster status:rej age<2m")
	s.waitForText("  1 of 66")
	s.press("\x15age>1y")
	s.waitForText("age> needs a number")
	s.press("\x15no such")
	s.waitForText("Nothing matches the filter")
	s.press("\x17")
	s.waitForText("/no ▏")
	s.press("\x1b")
	s.waitFor("no filter", func() bool { return !strings.Contains(s.text(), "/no") })
	s.press("4")
	s.waitForText("1 of 60")
	s.press("0")
	s.view.SetTrouble("No route \x1b[1mto it")
	s.waitForText("No route \\x1b[1mto it")
	s.waitForText("no news for 0s")
	s.view.SetTrouble("")
	s.view.Note("a note")
	s.waitForText("a note")
	s.press("?")
	s.waitForText("hide or show the charts")
	s.press("x")
	s.waitForText("a note")
	s.press("\x03")
	require.ErrorIs(t, s.close(), ui.ErrInterrupted)
}

func TestViewEndsWithItsWork(t *testing.T) {
	t.Parallel()
	over := make(chan error)
	s := open(t, 80, 24, true, testConfig(), func(context.Context) error { return <-over })
	s.waitForText("quit")
	failed := errors.New("it is over")
	over <- failed
	require.Equal(t, failed, s.close())
}

func TestPanicLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	over := make(chan error)
	s := open(t, 80, 24, true, testConfig(), func(context.Context) error {
		<-over
		panic("boom")
	})
	s.waitForText("quit")
	over <- nil
	require.ErrorContains(t, s.close(), "panic: boom")
}
