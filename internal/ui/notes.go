package ui

import (
	"fmt"
)

// noteIndent is the indent of what a terminal shows below the first line of a text.
const noteIndent = 2

// Notef writes a note to Err, dim and broken into lines on a terminal; Quiet suppresses it. The whole line is sanitised, so
// that a foreign argument cannot begin a line of its own.
func (s *Streams) Notef(format string, a ...any) {
	if s.Quiet {
		return
	}
	s.writeErr(s.errSurface().folded(Dim, Sanitize(fmt.Sprintf(format, a...)), 0, noteIndent) + "\n")
}

// Errorf writes a line about one of several errors to Err, broken into lines on a terminal. Quiet does not suppress it.
func (s *Streams) Errorf(format string, a ...any) {
	s.writeErr(s.errSurface().folded(Plain, Sanitize(fmt.Sprintf(format, a...)), 0, noteIndent) + "\n")
}

// Successf writes to Err that something was done, marked ✓ on a UTF-8 terminal and "ok:" otherwise;
// Quiet suppresses it.
func (s *Streams) Successf(format string, a ...any) {
	if s.Quiet {
		return
	}
	s.notice(Good, s.mark("✓", "ok:"), fmt.Sprintf(format, a...))
}

// Warnf writes a warning to Err, marked ! on a UTF-8 terminal and "warning:" otherwise. Quiet does not
// suppress it.
func (s *Streams) Warnf(format string, a ...any) {
	s.notice(Warn, s.mark("!", "warning:"), fmt.Sprintf(format, a...))
}

func (s *Streams) mark(sign, word string) string {
	if s.ErrTTY && s.UTF8 {
		return sign
	}
	return word
}

// notice writes a mark with a tone, and a text.
func (s *Streams) notice(t Tone, mark, text string) {
	f := s.errSurface()
	indent := CellWidth(mark) + 1
	s.writeErr(f.paint(t, mark) + " " + f.folded(Plain, Sanitize(text), indent, indent) + "\n")
}
