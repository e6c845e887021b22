package ui

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// CanRedraw reports whether a live view can be shown: Out is a terminal that can move its cursor.
func (s *Streams) CanRedraw() bool { return s.Screen != nil && s.OutTTY && !s.Dumb }

// Paint colours trusted text for Out.
func (s *Streams) Paint(tone Tone, text string) string { return s.outStyle().paint(tone, text) }

// PaintSelected paints trusted text for Out as part of the selected line of a list, which is a bar in reverse video. A
// cell of a tone keeps its colour there, as its background. The bar is as wide as what is painted, so the gaps between
// cells and the rest of the line are to be painted as Plain. A text of painted cells becomes plain.
//
// Without colours the bar is in reverse video, too: NO_COLOR is about colours only.
func (s *Streams) PaintSelected(tone Tone, text string) string {
	return s.outStyle().paintSelected(tone, text)
}

// Fit makes foreign text visible and cuts or pads it to a display width, in columns.
func (s *Streams) Fit(text string, width int) string {
	text = s.Cut(text, width)
	return text + strings.Repeat(" ", max(width-CellWidth(text), 0))
}

// Cut makes foreign text visible and cuts it to a display width, in columns.
func (s *Streams) Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	const longest = 16 // bytes of text a column, with escapes and combining marks: more need not be looked at
	if len(text) > width*longest {
		text = strings.ToValidUTF8(text[:width*longest], "")
	}
	return s.outStyle().cut(text, width)
}

// TableWidths divides a width among the columns of a table that want these widths. One of width zero is left out.
func (s *Streams) TableWidths(cols []Column, wanted []int, width int) []int {
	return surface{style: s.outStyle(), width: width}.fit(cols, wanted)
}

// TableLine draws a line of a table with columns of these widths.
func (s *Streams) TableLine(cols []Column, row []Cell, widths []int) string {
	var b bytes.Buffer
	surface{style: s.outStyle()}.alignedRow(&b, cols, row, widths)
	return strings.TrimSuffix(b.String(), "\n")
}

// Wrap makes foreign text visible and breaks it into at most so many lines of a display width; the last one is cut.
func (s *Streams) Wrap(text string, width, most int) []string {
	if width <= 0 || most <= 0 {
		return nil
	}
	lines := strings.Split(ansi.WcWidth.Wrap(s.Cut(text, width*(most+1)), width, ""), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], s.Cut(strings.Join(lines[most-1:], " "), width))
	}
	for i, line := range lines {
		if CellWidth(line) > width { // a character may be wider than the line
			lines[i] = ""
		}
	}
	return lines
}
