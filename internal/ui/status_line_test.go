package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/require"
)

// A sampler is a terminal that remembers what it showed after each write.
type sampler struct {
	mu      sync.Mutex
	shown   *vt.Emulator
	samples []string
	raw     bytes.Buffer
}

func (s *sampler) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	_, err := s.shown.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))) // as a terminal's driver does
	s.samples = append(s.samples, trimmed(s.shown.String()))
	return len(p), err
}

// text returns what is on the screen now.
func (s *sampler) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return trimmed(s.shown.String())
}

func (s *sampler) resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Resize(columns, rows)
}

func (s *sampler) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples)
}

// wrote returns all that was written.
func (s *sampler) wrote() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// trimmed returns a screen without blanks at the ends of lines and empty lines at the end.
func trimmed(screen string) string {
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func newSampler(columns, rows int) (*Streams, *sampler) {
	s := &sampler{shown: vt.NewEmulator(columns, rows)}
	return &Streams{Out: s, Err: s, OutTTY: true, ErrTTY: true, UTF8: true, Columns: func() int { return columns }}, s
}

// pass lets time pass and waits for what happens then.
func pass(d time.Duration) { <-time.After(d); synctest.Wait() }

// From its first drawing to its end, the line is on the screen after each write. Printed lines are above it, and
// complete.
func TestStatusLineIsNeverMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, screen := newSampler(40, 6)
		n := 0
		hide := s.ShowStatus(func(int) []Cell {
			n++
			return []Cell{Toned(Good, "###"), Text(fmt.Sprintf(" working %d", n))}
		})
		printer, err := NewPrinter(s, FormatCSV, "")
		require.NoError(t, err)
		rows := printer.Stream([]Column{{Header: "name"}})
		for i := range 30 {
			pass(70 * time.Millisecond)
			require.NoError(t, rows.Write(nil, []Cell{Text(fmt.Sprintf("row %d", i))}))
			s.Notef("note %d", i)
			s.Warnf("warning %d", i)
			require.NoError(t, s.Line(Text(fmt.Sprintf("line %d", i))))
		}
		for i, sample := range screen.all() {
			require.Contains(t, sample, "### working", "sample %d", i)
			require.Equal(t, 1, strings.Count(sample, "###"), "sample %d: %s", i, sample)
		}
		require.Regexp(t, `^line 28\nrow 29\nnote 29\n! warning 29\nline 29\n### working \d+$`, screen.text())
		before := len(screen.all())
		pass(time.Second)
		drawn := len(screen.all()) - before
		require.InDelta(t, 10, drawn, 1, "it moves while nothing is printed, but slowly enough to be read")
		hide()
		require.NotContains(t, screen.text(), "###")
		s.Errorf("failed")
		require.True(t, strings.HasSuffix(screen.text(), "line 29\nfailed"), screen.text())
		hide()
	})
}

// Rows that go to a file do not contain the line, which is on the terminal.
func TestStatusLineBesideAFile(t *testing.T) {
	t.Parallel()
	s, screen := newSampler(40, 6)
	var file bytes.Buffer
	s.Out, s.OutTTY = &file, false
	hide := s.ShowStatus(func(int) []Cell { return []Cell{Text("working")} })
	printer, err := NewPrinter(s, FormatNDJSON, "")
	require.NoError(t, err)
	require.NoError(t, printer.Stream(nil).Write(1, nil))
	require.Equal(t, "working", screen.text())
	hide()
	require.Empty(t, screen.text())
	require.Equal(t, "1\n", file.String())
}

// Text that has not ended its line, such as a prompt, has the line to itself.
func TestStatusLineGivesWayToAPrompt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, screen := newSampler(40, 6)
		s.InTTY, s.In = true, strings.NewReader("y\n")
		hide := s.ShowStatus(func(int) []Cell { return []Cell{Text("working")} })
		defer hide()
		s.writeErr("Send? ")
		pass(time.Second)
		require.Equal(t, "Send?", screen.text())
		s.writeErr("y\n")
		require.Equal(t, "Send? y\nworking", screen.text())
	})
}

func TestNoStatusLineWithoutATerminalThatCanRedraw(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Streams){
		"no terminal": func(s *Streams) { s.ErrTTY = false },
		"dumb":        func(s *Streams) { s.Dumb = true },
		"quiet":       func(s *Streams) { s.Quiet = true },
		"background":  func(s *Streams) { s.Foreground = func() bool { return false } },
	} {
		s, screen := newSampler(40, 6)
		change(s)
		hide := s.ShowStatus(func(int) []Cell { return []Cell{Text("working")} })
		s.Warnf("careful")
		hide()
		require.NotContains(t, screen.wrote(), "working", name)
		require.NotContains(t, screen.wrote(), "\x1b", name)
		require.Contains(t, screen.wrote(), "careful", name)
	}
}

// A shell uses the terminal while the program is in the background. Its output stays.
func TestStatusLineComesBackWithTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, screen := newSampler(40, 8)
		var mu sync.Mutex
		inForeground := true
		s.Foreground = func() bool {
			mu.Lock()
			defer mu.Unlock()
			return inForeground
		}
		switchTo := func(foreground bool) {
			mu.Lock()
			defer mu.Unlock()
			inForeground = foreground
		}
		n := 0
		hide := s.ShowStatus(func(int) []Cell { n++; return []Cell{Text(fmt.Sprintf("working %d", n))} })
		switchTo(false)
		_, _ = screen.Write([]byte("^Z\n[1]+ Stopped\n$ "))
		pass(time.Second)
		_, _ = screen.Write([]byte("fg\npayctl\n"))
		switchTo(true)
		pass(time.Second)
		require.Regexp(t, `^\^Zrking 1\n\[1\]\+ Stopped\n\$ fg\npayctl\nworking \d+$`, screen.text())
		switchTo(false)
		_, _ = screen.Write([]byte("$ "))
		hide()
		require.Regexp(t, `\n\$ rking`, screen.text(), "the prompt of the shell stays")
	})
}

// The line fits a terminal that has become narrower, and its text cannot control the terminal.
func TestStatusLineFitsTheTerminal(t *testing.T) {
	t.Parallel()
	s, screen := newSampler(40, 6)
	var columns atomic.Int64
	columns.Store(40)
	s.Columns, s.ColorErr = func() int { return int(columns.Load()) }, true
	hide := s.ShowStatus(func(int) []Cell {
		return []Cell{Toned(Bad, strings.Repeat("x", 15)), Text("日本\x1b[2J\n" + strings.Repeat("y", 50))}
	})
	defer hide()
	require.Equal(t, "xxxxxxxxxxxxxxx日本\\x1b[2J\\nyyyyyyyyyy…", screen.text())
	screen.resize(20, 6)
	columns.Store(20)
	s.redrawStatus()
	require.Len(t, strings.Split(screen.text(), "\n"), 1)
	require.NotContains(t, screen.wrote(), "\x1b[2J")
	s.Warnf("above")
	require.True(t, strings.HasPrefix(screen.text(), "! above\nxxxxxxxxxxxxxxx"), screen.text())
}

// There is no line while there is nothing to show.
func TestStatusLineWithNothingToShow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, screen := newSampler(40, 6)
		var text atomic.Pointer[[]Cell]
		text.Store(new([]Cell))
		hide := s.ShowStatus(func(int) []Cell { return *text.Load() })
		pass(time.Second)
		s.Warnf("careful")
		require.NotContains(t, screen.wrote(), "\x1b")
		text.Store(new([]Cell{Text("working")}))
		pass(time.Second)
		require.Equal(t, "! careful\nworking", screen.text())
		text.Store(new([]Cell))
		pass(time.Second)
		require.Equal(t, "! careful", screen.text())
		hide()
	})
}
