package ui

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// statusInterval is the time between two drawings of a status line.
const statusInterval = 100 * time.Millisecond

// Escape sequences of a status line.
const (
	eraseBelow = "\x1b[J" // from the cursor to the end of the screen
	eraseLine  = "\r" + eraseBelow
)

// A statusLine is the last line of a terminal, below all output. The cursor stays at its first column. So everything to
// erase is behind the cursor, even if a narrower terminal has wrapped the line or the keyboard has echoed over it.
type statusLine struct {
	draw    func(columns int) []Cell
	shown   string // empty if not on the screen
	unended bool   // the last output, such as a prompt, has not ended its line
}

// ShowStatus shows a line below all output, until hide is called. Function draw returns the pieces of the line for a
// number of columns. It is called every statusInterval, never concurrently, and must not print. The line is cut to the
// terminal. It is not shown without a terminal that can move its cursor, with Quiet, in the background, or while draw
// returns nothing. There is only one such line.
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
			_, _ = io.WriteString(s.Err, eraseLine) // the error cannot be reported elsewhere
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
		_, _ = io.WriteString(s.Err, eraseLine) // nothing is shown now
	}
}

// statusText returns the status line with its escape sequences, or "" if it cannot be shown.
func (s *Streams) statusText() string {
	s.status.shown = ""
	if s.status.unended || !s.inForeground() {
		return ""
	}
	f := s.errSurface()
	room := f.width - 1 // some terminals wrap a full line
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

// inForeground reports whether the program may draw on the terminal.
func (s *Streams) inForeground() bool { return s.Foreground == nil || s.Foreground() }

// writeOut writes to Out, above the status line if Out is a terminal.
func (s *Streams) writeOut(text []byte) error {
	if !s.OutTTY {
		_, err := s.Out.Write(text) // without the lock: a pipe may block for a long time
		return err
	}
	return s.writeAbove(s.Out, text)
}

// writeAbove writes text above the status line. It erases and redraws the line in the same Write, so the line never
// flickers. If both streams are terminals, they count as one.
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
