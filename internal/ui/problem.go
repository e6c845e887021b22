package ui

import (
	"fmt"
	"strconv"
	"strings"
)

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
