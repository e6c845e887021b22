package term

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ProblemView is a refusal as a person should see it (RFC 9457), so that they see what to mend.
type ProblemView struct {
	Title string
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	// Detail may have several lines.
	Detail    string
	Fields    []ProblemField
	RequestID string
	// Next are the commands to try.
	Next []string
}

// ProblemField is a member of the request that was found bad, and why.
type ProblemField struct {
	Name     string
	Messages []string
}

// Problem writes a refusal to Err, in a single Write. Everything in it is sanitised.
func (s *Streams) Problem(p ProblemView) {
	f := s.errSurface()
	var b strings.Builder
	title := Sanitize(p.Title)
	if p.Status != 0 {
		title = strings.TrimLeft(title+" ("+strconv.Itoa(p.Status)+")", " ")
	}
	b.WriteString(f.paint(Bad, s.mark("✗", "error:")+" "+title) + "\n")
	if p.Detail != "" {
		for line := range strings.SplitSeq(strings.TrimRight(SanitizeLines(p.Detail), "\n"), "\n") {
			b.WriteString("  " + line + "\n")
		}
	}
	f.problemFields(&b, p.Fields)
	if p.RequestID != "" {
		b.WriteString("  " + f.paint(Dim, "request id "+Sanitize(p.RequestID)) + "\n")
	}
	if len(p.Next) > 0 {
		b.WriteString("Next:\n")
		for _, command := range p.Next {
			b.WriteString("  " + f.paint(Bold, Sanitize(command)) + "\n")
		}
	}
	s.writeErr(b.String())
}

func (f surface) problemFields(b *strings.Builder, fields []ProblemField) {
	widest := 0
	for _, field := range fields {
		widest = max(widest, ansi.StringWidth(Sanitize(field.Name)))
	}
	for _, field := range fields {
		name := Sanitize(field.Name)
		messages := field.Messages
		if len(messages) == 0 {
			messages = []string{"is not valid"}
		}
		for _, message := range messages {
			pad := strings.Repeat(" ", widest-ansi.StringWidth(name)+columnGap)
			b.WriteString("  " + f.paint(Bold, name) + pad + Sanitize(message) + "\n")
			name = ""
		}
	}
}
