package ui

import (
	"fmt"
	"strconv"
	"strings"
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

// ProblemView is a problem (RFC 9457) as a person should see it, with what to fix.
type ProblemView struct {
	Title string
	// Status is the HTTP status. It is 0 without an answer.
	Status int
	// Detail may have several lines.
	Detail    string
	Fields    []ProblemField
	RequestID string
	// TraceID is the trace of the request in the service's tracing.
	TraceID string
	// Next are the commands to try.
	Next []string
}

// ProblemField is an invalid member of the request, and why.
type ProblemField struct {
	Name     string
	Messages []string
}

// The limits of a problem on the screen. A service must not push everything else off it.
const (
	mostText  = 4000 // bytes of one text
	mostLines = 60   // of a detail, and of messages about fields
)

// shown cuts a foreign text that is too long to be read, and makes it harmless.
func shown(text string) string {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + " (cut)"
	}
	return Sanitize(text)
}

// Problem writes a refusal to Err, in a single Write. Everything in it is sanitised.
func (s *Streams) Problem(p ProblemView) {
	f := s.errSurface()
	title := shown(p.Title)
	if p.Status != 0 {
		title = strings.TrimLeft(title+" ("+strconv.Itoa(p.Status)+")", " ")
	}
	lines := []string{f.wrapped(Bad, s.mark("✗", "error:")+" "+title, 0, len("  "))}
	add := func(texts []string) {
		for i, text := range texts {
			if i == mostLines {
				lines = append(lines, fmt.Sprintf("  and %d lines more", len(texts)-i))
				return
			}
			lines = append(lines, "  "+f.wrapped(Plain, shown(text), len("  "), len("  ")))
		}
	}
	if detail := strings.TrimRight(p.Detail, "\n"); detail != "" {
		add(strings.Split(detail, "\n"))
	}
	var fields []string
	for _, field := range p.Fields {
		messages := field.Messages
		if len(messages) == 0 {
			messages = []string{"is not valid"}
		}
		for _, message := range messages {
			fields = append(fields, field.Name+"  "+message)
		}
	}
	add(fields)
	for _, id := range []struct{ name, value string }{{"request id ", p.RequestID}, {"trace id ", p.TraceID}} {
		if id.value != "" {
			lines = append(lines, "  "+f.paint(Dim, id.name+shown(id.value)))
		}
	}
	if len(p.Next) > 0 {
		lines = append(lines, "Next:")
		for _, command := range p.Next {
			lines = append(lines, "  "+f.paint(Bold, Sanitize(command)))
		}
	}
	s.writeErr(strings.Join(lines, "\n") + "\n")
}
