//go:build !windows

package live

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/ui"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

var now = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

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

// hostile is a name that would take over a terminal.
var hostile = "Ev\x1b[31mil\x1b]52;c;aGk=\x07\r\n\u202egnp\u0000\u009b2J" + strings.Repeat("x", 10_000)

func sample() []Row {
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	rows := []Row{
		{ID: "acc_01kdwcj2m07dx6vaehz84r9gf1", Name: "A*** L***", Status: ui.Toned(ui.Warn, "resubmission_required"), Since: at(26*time.Hour + time.Minute), Why: "The picture of the identity document cannot be read. (poor_quality_document)"},
		{ID: "acc_01kdwcj2m07dx6vaehz84r9gf2", Name: hostile, Status: ui.Toned(ui.Warn, "under_review"), Since: at(3 * time.Minute), Why: hostile},
		{ID: "acc_01kdwcj2m07dx6vaehz84r9gf3", Name: "E*** M***", Status: ui.Toned(ui.Bad, "rejected"), Since: at(40 * time.Second), Why: "The applicant is on a sanctions list. (applicant_sanctioned)", Rank: 1},
		{ID: "acc_01kdwcj2m07dx6vaehz84r9gf4", Name: "", Status: ui.Toned(ui.Plain, "frozen\x1b[2J"), Since: at(400 * 24 * time.Hour), Rank: 3},
	}
	for i := range 60 {
		rows = append(rows, Row{ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz84r9%03d", i), Name: "S*** S***", Status: ui.Toned(ui.Warn, "pending"), Since: at(time.Duration(i) * time.Second), Rank: 2, Working: true})
	}
	return append(rows, Row{ID: "acc_01kdwcj2m07dx6vaehz84r9zzz", Status: ui.Toned(ui.Good, "approved"), Since: at(time.Second), Rank: 3})
}

func details(_ context.Context, id string) (ui.Details, error) {
	if strings.HasSuffix(id, "gf3") {
		return nil, errors.New("it is \x1b[5mgone")
	}
	return ui.Details{
		{Label: "Account", Cells: []ui.Cell{ui.Toned(ui.Bold, id)}},
		{Label: "Reasons", Cells: []ui.Cell{ui.Text("The picture of the identity document cannot be read. (poor_quality_document)"), ui.Text("second")}},
		{Label: "To do", Cells: []ui.Cell{ui.Text("payctl kyc submit " + id + " --file identity_document=PATH")}},
		{Label: "Level", Cells: []ui.Cell{ui.Text("basic")}},
		{Label: "Changed", Cells: []ui.Cell{ui.Text("2026-01-01 09:59:00Z")}},
		{Label: "Name", Cells: []ui.Cell{ui.Text(hostile)}},
		{Label: "Last", Cells: []ui.Cell{ui.Text("end of the story")}},
	}, nil
}

func config() Config {
	return Config{Title: "Identity checks", Noun: "accounts", Header: "ACCOUNT", Details: details}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, color := range []bool{false, true} {
			t.Run(fmt.Sprintf("%dx%d-color-%v", size[0], size[1], color), func(t *testing.T) {
				t.Parallel()
				s := open(t, size[0], size[1], color, config(), until)
				s.waitForText("Reasons")
				s.waitForText("quit")
				golden(t, fmt.Sprintf("%dx%d-color-%v.txt", size[0], size[1], color), s.drawing())
				require.Equal(t, color, strings.Contains(s.wrote(), "\x1b[97;41;1m"))

				s.press("\r")
				s.waitForText("enter back")
				golden(t, fmt.Sprintf("%dx%d-color-%v-story.txt", size[0], size[1], color), s.drawing())
				s.press("\x1b")
				s.waitForText("enter details")
				s.press("q")
				require.ErrorIs(t, s.close(), ErrQuit)
				require.NotContains(t, s.wrote(), "\x1b]52", "the clipboard is not what a name says")
				require.NotContains(t, s.wrote(), "\x1b[31mil")
				require.NotContains(t, s.wrote(), "\u202e")
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 24, false, config(), until)
	s.waitForText("second")
	require.NotContains(t, s.text(), "end of the story")
	s.press("\r")
	s.waitForText("end of the story")
	s.press("\r")
	s.waitForText("more lines")
	s.press("jj")
	s.waitForText("The details could not be read: it is \\x1b[5mgone")
	s.press("c")
	s.waitForText("copied acc_01kdwcj2m07dx6vaehz84r9gf3")
	s.waitFor("the clipboard", func() bool { return strings.Contains(s.wrote(), "\x1b]52;c;YWNjXzAxa2R3Y2oybTA3ZHg2dmFlaHo4NHI5Z2Yz") })
	s.press("G")
	s.waitForText("▸   acc_01kdwcj2m07dx6vaehz84r9zzz")
	s.press("g")
	s.waitForText("▸   acc_01kdwcj2m07dx6vaehz84r9gf1")
	s.press("/sanct")
	s.waitForText("/sanct_")
	s.press("\r")
	s.waitForText("/sanct: 1 of 65")
	s.press("\x1b")
	s.waitForText("1-")
	s.press("/no such")
	s.waitForText("nothing matches")
	s.press("\x17")
	s.waitForText("/no _")
	s.press("\x17")
	s.waitForText("/_")
	s.press("sanct\x15zzz")
	s.waitForText("/zzz_")
	s.press("\x1b")
	s.view.SetTrouble(errors.New("no route \x1b[1mto it"))
	s.waitForText("trying again: no route \\x1b[1mto it")
	s.waitForText("no answer for 0s")
	s.view.SetTrouble(nil)
	s.view.Note("a note")
	s.waitForText("a note")
	s.view.Put(Row{ID: "acc_0", Status: ui.Text("incomplete"), Since: now.Add(-2000 * time.Hour)})
	s.waitForText("▸   acc_0 ") // it waits longer than the others
	s.press("j")
	s.waitForText("▸   acc_01kdwcj2m07dx6vaehz84r9gf1")
	s.view.Put(Row{ID: "acc_00", Status: ui.Text("incomplete"), Since: now.Add(-3000 * time.Hour)})
	s.waitFor("the chosen row to stay", func() bool {
		return strings.Contains(s.text(), "    acc_00 ") && strings.Contains(s.text(), "▸   acc_01kdwcj2m07dx6vaehz84r9gf1")
	})
	s.mu.Lock()
	s.shown.Resize(60, 12)
	s.mu.Unlock()
	s.resize(60, 12)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH)) // as the kernel does for the processes of a terminal
	s.waitFor("a small screen", func() bool { return strings.Contains(s.text(), "q quit") && len(strings.Split(s.text(), "\n")[0]) < 80 })
	s.press("\x03")
	require.ErrorIs(t, s.close(), ui.ErrInterrupted)
}

func TestViewEndsWithItsWork(t *testing.T) {
	t.Parallel()
	over := make(chan error)
	s := open(t, 80, 24, true, config(), func(context.Context) error { return <-over })
	s.waitForText("quit")
	failed := errors.New("it is over")
	over <- failed
	require.Equal(t, failed, s.close())
}

func TestPanicLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	over := make(chan error)
	s := open(t, 80, 24, true, config(), func(context.Context) error {
		<-over
		panic("boom")
	})
	s.waitForText("quit")
	over <- nil
	require.ErrorContains(t, s.close(), "panic: boom")
}
