package term

import "fmt"

// Notef writes a line to Err, dim on a terminal; Quiet suppresses it. The whole line is sanitised, so
// that a foreign argument cannot begin a line of its own.
func (s *Streams) Notef(format string, a ...any) {
	if s.Quiet {
		return
	}
	s.notice(Dim, "", fmt.Sprintf(format, a...))
}

// Successf writes to Err that something was done, marked ✓ on a UTF-8 terminal and "ok:" elsewhere;
// Quiet suppresses it.
func (s *Streams) Successf(format string, a ...any) {
	if s.Quiet {
		return
	}
	s.notice(Good, s.mark("✓", "ok:"), fmt.Sprintf(format, a...))
}

// Warnf writes a warning to Err, marked ! on a UTF-8 terminal and "warning:" elsewhere. Quiet does not
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

// notice writes mark and text; the tone is the mark's, or the text's where there is no mark.
func (s *Streams) notice(t Tone, mark, text string) {
	surface := s.errSurface()
	text = Sanitize(text)
	if mark == "" {
		s.writeErr(surface.paint(t, text) + "\n")
		return
	}
	s.writeErr(surface.paint(t, mark) + " " + text + "\n")
}
