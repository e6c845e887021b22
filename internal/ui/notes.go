package ui

import (
	"fmt"
)

// Notef writes a note to Err, dim on a terminal. Quiet suppresses it. The whole line is sanitised, so a foreign
// argument cannot begin another line.
func (s *Streams) Notef(format string, a ...any) {
	if !s.Quiet {
		s.writeErr(s.errSurface().wrapped(Dim, Sanitize(fmt.Sprintf(format, a...)), 0, len("  ")) + "\n")
	}
}

// Errorf writes a line about one of several errors to Err. Quiet does not suppress it.
func (s *Streams) Errorf(format string, a ...any) {
	s.writeErr(s.errSurface().wrapped(Plain, Sanitize(fmt.Sprintf(format, a...)), 0, len("  ")) + "\n")
}

// Successf writes to Err that something was done, marked ✓ on a UTF-8 terminal and "ok:" otherwise. Quiet suppresses
// it.
func (s *Streams) Successf(format string, a ...any) {
	if !s.Quiet {
		s.notice(Good, s.mark("✓", "ok:"), fmt.Sprintf(format, a...))
	}
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
	s.writeErr(f.paint(t, mark) + " " + f.wrapped(Plain, Sanitize(text), CellWidth(mark)+1, CellWidth(mark)+1) + "\n")
}
