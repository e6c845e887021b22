package ui

import (
	"bytes"
	"strings"
)

// Check is one line of a Checklist: what was looked at, how it was found, and what to do about it.
type Check struct {
	Tone Tone   // of the mark: Good, Warn, Bad or Dim (not looked at)
	Name string // short
	Text string // a sentence; may be foreign
	// Fix is a command, and Advice what to do where there is none; empty: nothing.
	Fix, Advice string
}

// Checklist is a report for a person at a terminal.
type Checklist struct {
	Checks []Check
	// Total is the sentence at the end.
	Total string
}

func (Checklist) isView() {}

// checklist draws a Checklist.
func (f surface) checklist(list Checklist) []byte {
	marks := map[Tone]string{Good: "✓", Warn: "!", Bad: "✗", Dim: "-"}
	if !f.utf8 {
		marks = map[Tone]string{Good: "+", Warn: "!", Bad: "x", Dim: "-"}
	}
	names := 0
	for _, check := range list.Checks {
		names = max(names, CellWidth(Sanitize(check.Name)))
	}
	var b bytes.Buffer
	for _, check := range list.Checks {
		name, tone := Sanitize(check.Name), Plain
		if check.Tone == Dim {
			tone = Dim
		}
		b.WriteString(f.paint(check.Tone, marks[check.Tone]) + " " + name + strings.Repeat(" ", names-CellWidth(name)+columnGap) +
			f.paint(tone, Sanitize(check.Text)) + "\n")
		for _, next := range []string{check.Advice, check.Fix} {
			if next != "" {
				b.WriteString(strings.Repeat(" ", 2+names+columnGap) + f.paint(Bold, Sanitize(next)) + "\n")
			}
		}
	}
	if list.Total != "" {
		b.WriteString("\n" + Sanitize(list.Total) + "\n")
	}
	return b.Bytes()
}
