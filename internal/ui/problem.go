package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// ProblemView is a problem (RFC 9457) as a person should see it, with what to fix.
type ProblemView struct {
	Title string
	// Status is the HTTP status; 0 when there was no answer.
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

// ProblemField is a member of the request that was found bad, and why.
type ProblemField struct {
	Name     string
	Messages []string
}

// The limits of a problem on the screen, so that a service cannot push everything else off it.
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

// detailLines are the lines of a detail, the first of many.
func detailLines(detail string) []string {
	lines := strings.Split(strings.TrimRight(SanitizeLines(detail), "\n"), "\n")
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d lines more", more))
	}
	for i, line := range lines {
		lines[i] = shown(line)
	}
	return lines
}

// Problem writes a refusal to Err, in a single Write. Everything in it is sanitised.
func (s *Streams) Problem(p ProblemView) {
	f := s.errSurface()
	var b strings.Builder
	title := shown(p.Title)
	if p.Status != 0 {
		title = strings.TrimLeft(title+" ("+strconv.Itoa(p.Status)+")", " ")
	}
	mark := s.mark("✗", "error:") + " "
	b.WriteString(f.folded(Bad, mark+title, 0, CellWidth(mark)) + "\n")
	if p.Detail != "" {
		for _, line := range detailLines(p.Detail) {
			b.WriteString("  " + f.folded(Plain, line, noteIndent, 2*noteIndent) + "\n")
		}
	}
	f.problemFields(&b, p.Fields)
	if p.RequestID != "" {
		b.WriteString("  " + f.paint(Dim, "request id "+shown(p.RequestID)) + "\n")
	}
	if p.TraceID != "" {
		b.WriteString("  " + f.paint(Dim, "trace id "+shown(p.TraceID)) + "\n")
	}
	if len(p.Next) > 0 {
		b.WriteString("Next:\n")
		for _, command := range p.Next {
			b.WriteString("  " + f.folded(Bold, Sanitize(command), noteIndent, 2*noteIndent) + "\n")
		}
	}
	s.writeErr(b.String())
}

// problemFields writes the first messages of the fields, and how many more there are. The name of a field is on the line
// of its first message.
func (f surface) problemFields(b *strings.Builder, fields []ProblemField) {
	var lines []ProblemField // each with one message
	more, widest := 0, 0
	for _, field := range fields {
		name := shown(field.Name)
		messages := field.Messages
		if len(messages) == 0 {
			messages = []string{"is not valid"}
		}
		for _, message := range messages {
			if len(lines) == mostLines {
				more++
				continue
			}
			lines = append(lines, ProblemField{name, []string{shown(message)}})
			widest = max(widest, CellWidth(name))
			name = ""
		}
	}
	for _, line := range lines {
		pad := strings.Repeat(" ", widest-CellWidth(line.Name)+columnGap)
		indent := noteIndent + widest + columnGap
		b.WriteString("  " + f.paint(Bold, line.Name) + pad + f.folded(Plain, line.Messages[0], indent, indent) + "\n")
	}
	if more > 0 {
		fmt.Fprintf(b, "  and %d messages more\n", more)
	}
}
