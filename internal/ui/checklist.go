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
	// Fix is a command; empty: none.
	Fix string
	// Advice is what to do where there is no command.
	Advice string
}

// Checklist is a report for a person at a terminal. Sentences are wrapped at words; a command that fixes something is
// printed on a line of its own that is never broken, so that it can be copied.
type Checklist struct {
	Checks []Check
	// Total is the sentence at the end.
	Total string
}

func (Checklist) isView() {}

// checklist draws a Checklist.
func (f surface) checklist(list Checklist) []byte {
	const most = 100 // columns of a line that is still read with ease
	names, marks := 0, 0
	for _, check := range list.Checks {
		names = max(names, CellWidth(Sanitize(check.Name)))
		marks = max(marks, CellWidth(f.checkMark(check.Tone)))
	}
	indent := marks + 1 + names + columnGap
	within := f
	within.width = min(f.width, most)
	var b bytes.Buffer
	for _, check := range list.Checks {
		mark, name := f.checkMark(check.Tone), Sanitize(check.Name)
		b.WriteString(f.paint(check.Tone, mark) + strings.Repeat(" ", marks-CellWidth(mark)+1))
		b.WriteString(name + strings.Repeat(" ", names-CellWidth(name)+columnGap))
		tone := Plain
		if check.Tone == Dim {
			tone = Dim
		}
		b.WriteString(within.folded(tone, Sanitize(check.Text), indent, indent) + "\n")
		if check.Advice != "" {
			b.WriteString(strings.Repeat(" ", indent) + within.folded(Bold, Sanitize(check.Advice), indent, indent) + "\n")
		}
		if check.Fix != "" {
			b.WriteString(strings.Repeat(" ", indent) + f.paint(Bold, Sanitize(check.Fix)) + "\n")
		}
	}
	if list.Total != "" {
		b.WriteString("\n" + Sanitize(list.Total) + "\n")
	}
	return b.Bytes()
}

func (f surface) checkMark(t Tone) string {
	signs := map[Tone][2]string{Good: {"✓", "ok"}, Warn: {"!", "warning"}, Bad: {"✗", "failed"}, Dim: {"-", "skipped"}}
	if f.utf8 {
		return signs[t][0]
	}
	return signs[t][1]
}
