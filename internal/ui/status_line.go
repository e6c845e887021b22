package ui

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// statusInterval is the time between two drawings of a status line: short enough that its numbers seem to move.
const statusInterval = 100 * time.Millisecond

// Escape sequences of a status line.
const (
	eraseBelow = "\x1b[J" // from the cursor to the end of the screen
	eraseLine  = "\r" + eraseBelow
)

// A statusLine is the last line of a terminal, below everything that is printed. The cursor stays at its first column.
// So nothing needs to be known of the terminal to erase it: what a terminal that was made narrower has broken it into,
// and what the keyboard has echoed over it, are all behind the cursor.
type statusLine struct {
	draw    func(columns int) []Cell
	shown   string // empty: it is not on the screen
	unended bool   // what was printed last, such as a prompt, has not ended its line, so that there is no room below it
}

// ShowStatus shows a line below everything that is printed, until hide is called. The pieces of the line are those that
// draw returns for a number of columns; draw is called again every statusInterval, one call at a time, and must not
// print. The line is cut to the terminal. It is not shown if Err is not a terminal that can move its cursor, if Quiet
// is set, while the program runs in the background, or while draw returns nothing. There is one such line at a time.
func (s *Streams) ShowStatus(draw func(columns int) []Cell) (hide func()) {
	if !s.ErrTTY || s.Dumb || s.Quiet {
		return func() {}
	}
	s.mu.Lock()
	s.status = &statusLine{draw: draw}
	s.mu.Unlock()
	s.redrawStatus()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(statusInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.redrawStatus()
			case <-stop:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-stopped
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.status.shown != "" && s.inForeground() {
			_, _ = io.WriteString(s.Err, eraseLine) // there is no other place to report the error
		}
		s.status = nil
	})
}

// redrawStatus draws the status line over itself, if it has changed.
func (s *Streams) redrawStatus() {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.status.shown
	switch line := s.statusText(); {
	case line == before:
	case line != "":
		_, _ = io.WriteString(s.Err, line)
	case s.inForeground():
		_, _ = io.WriteString(s.Err, eraseLine) // there is nothing to show any more
	}
}

// statusText returns what draws the status line at the cursor, and leaves the cursor there; empty if it has no place.
func (s *Streams) statusText() string {
	s.status.shown = ""
	if s.status.unended || !s.inForeground() {
		return ""
	}
	f := s.errSurface()
	room := f.width - 1 // some terminals wrap a line that is full
	var line strings.Builder
	for _, cell := range s.status.draw(room) {
		text := ansi.Truncate(Sanitize(cell.Text), room, f.ellipsis())
		room -= ansi.StringWidth(text)
		line.WriteString(f.paint(cell.Tone, text))
	}
	if line.Len() == 0 {
		return ""
	}
	s.status.shown = "\r" + line.String() + eraseBelow + "\r"
	return s.status.shown
}

// inForeground reports whether the terminal is the program's to draw on.
func (s *Streams) inForeground() bool { return s.Foreground == nil || s.Foreground() }

// writeOut writes to Out, above the status line if Out is a terminal.
func (s *Streams) writeOut(text []byte) error {
	if !s.OutTTY {
		_, err := s.Out.Write(text) // without the lock: a pipe may not be read for a long time
		return err
	}
	return s.writeAbove(s.Out, text)
}

// writeAbove writes text above the status line, which it erases and draws again. All of it is one Write, so that the
// line is never seen to be missing: where both streams are terminals, they are taken for one.
func (s *Streams) writeAbove(to io.Writer, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == nil || len(text) == 0 {
		_, err := to.Write(text)
		return err
	}
	before := ""
	if s.status.shown != "" && s.inForeground() {
		before = eraseLine
	}
	s.status.unended = text[len(text)-1] != '\n'
	_, err := io.WriteString(to, before+string(text)+s.statusText())
	return err
}
