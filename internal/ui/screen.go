package ui

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// CanRedraw reports whether Out is a terminal that can show a live view.
func (s *Streams) CanRedraw() bool { return s.Screen != nil && s.OutTTY && !s.Dumb }

// Paint colours trusted text for Out.
func (s *Streams) Paint(tone Tone, text string) string { return s.outStyle().paint(tone, text) }

// PaintSelected paints trusted text for Out as part of the selected line of a list, which is a bar in reverse video.
// The cell's colour becomes its background. Paint the gaps between cells and the rest of the line as Plain. Painted
// text becomes plain.
//
// The bar is in reverse video even without colours: NO_COLOR is only about colours.
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
	const longest = 16 // bytes of text a column, with escapes and combining marks
	if len(text) > width*longest {
		text = strings.ToValidUTF8(text[:width*longest], "")
	}
	return s.outStyle().cut(text, width)
}

// TableWidths divides a width among the columns of a table. A column of width zero is left out.
func (s *Streams) TableWidths(cols []Column, wanted []int, width int) []int {
	return surface{style: s.outStyle(), width: width}.fit(cols, wanted)
}

// TableLine draws a line of a table with columns of these widths.
func (s *Streams) TableLine(cols []Column, row []Cell, widths []int) string {
	var b bytes.Buffer
	surface{style: s.outStyle()}.alignedRow(&b, cols, row, widths)
	return strings.TrimSuffix(b.String(), "\n")
}

// Wrap makes foreign text visible and breaks it into at most so many lines of a display width. The last one is cut.
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
