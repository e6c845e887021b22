package ui

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

const (
	columnGap = 2
	// readable is the width that a column is not cut below while another can be left out instead.
	readable = 10
)

// notShown says which columns a terminal has no room for, with an advice.
func notShown(cols []Column, widths []int, advice string) string {
	var left []string
	for i, width := range widths {
		if width == 0 {
			left = append(left, strings.ToLower(cols[i].Header))
		}
	}
	if left == nil {
		return ""
	}
	return "Hidden: " + strings.Join(left, ", ") + "; " + advice + "."
}

// headers are the cells of the first line of a table.
func headers(cols []Column, tone Tone) (cells []Cell) {
	for _, c := range cols {
		cells = append(cells, Toned(tone, strings.ToUpper(c.Header)))
	}
	return cells
}

// plainTable is for programs: values separated by tabs, which no sanitised cell contains.
func (f surface) plainTable(cols []Column, rows [][]Cell, header bool) []byte {
	var b bytes.Buffer
	if header {
		b.WriteString(f.line(headers(cols, Plain), len(cols), "\t"))
	}
	for _, row := range rows {
		b.WriteString(f.line(row, len(cols), "\t"))
	}
	return b.Bytes()
}

// line draws the first n cells of a row.
func (f surface) line(row []Cell, n int, separator string) string {
	texts := make([]string, n)
	for i := range texts {
		cell := cellAt(row, i)
		text := Sanitize(cell.Text)
		if f.tty {
			text = f.visible(cell.Text)
		}
		texts[i] = f.paint(cell.Tone, text)
	}
	return strings.Join(texts, separator) + "\n"
}

// alignedTable draws columns of the given display widths; those of width 0 are left out.
func (f surface) alignedTable(cols []Column, rows [][]Cell, widths []int, header bool) []byte {
	var b bytes.Buffer
	if header {
		rows = slices.Insert(slices.Clone(rows), 0, headers(cols, Bold))
	}
	for _, row := range rows {
		f.alignedRow(&b, cols, row, widths)
	}
	return b.Bytes()
}

func (f surface) alignedRow(b *bytes.Buffer, cols []Column, row []Cell, widths []int) {
	gap := 0 // blanks owed; written before text only, so that no line ends in blanks
	for i, c := range cols {
		if widths[i] == 0 {
			continue
		}
		cell := cellAt(row, i)
		text := cell.Text
		if i == 0 || c.Ends {
			text = f.ends(text, widths[i])
		}
		text = f.cut(text, widths[i])
		pad := widths[i] - CellWidth(text)
		if c.Right {
			gap, pad = gap+pad, 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", gap))
			b.WriteString(f.paint(cell.Tone, text))
			gap = 0
		}
		gap += pad + columnGap
	}
	b.WriteByte('\n')
}

// ends is the beginning and the end of a text that is too long for its place, as identifiers that were made one after
// another begin alike. A text that is not plain is left as it is.
func (f style) ends(text string, width int) string {
	if !isPlain(text) || len(text) <= width || width < len("a…z") {
		return text
	}
	end := width * 2 / 3 // the end tells more
	return text[:width-1-end] + f.ellipsis() + text[len(text)-end:]
}

// measure returns the display width that each column wants.
func (f style) measure(cols []Column, rows [][]Cell) []int {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = max(1, CellWidth(f.visible(strings.ToUpper(c.Header))))
		for _, row := range rows {
			widths[i] = max(widths[i], CellWidth(f.visible(cellAt(row, i).Text)))
		}
	}
	return widths
}

// fit narrows the widest columns until the table fits the surface. It keeps these columns whole as long as it can: the
// first, an identifier that users copy; those aligned to the right, amounts that a cut would falsify; and those marked
// to be kept or shown whole. If that is not enough, columns are left out (width 0) in the order of leastNeeded. On an
// even narrower terminal all columns are narrowed, and at last only the first one is left.
func (f surface) fit(cols []Column, wanted []int) []int {
	widths := slices.Clone(wanted)
	for isNarrow := false; ; {
		least, room := 0, f.width+columnGap
		var flexible []*int
		for i, c := range cols {
			switch {
			case widths[i] == 0:
			case !isNarrow && (i == 0 || c.Right || c.Keep || c.Whole):
				room -= widths[i] + columnGap
			default:
				room -= columnGap
				flexible = append(flexible, &widths[i])
				least += min(widths[i], cmp.Or(c.Least, readable))
			}
		}
		i := leastNeeded(cols, widths, isNarrow)
		switch {
		case least <= room || isNarrow && i == 0:
			squeeze(flexible, room)
			return widths
		case i == 0:
			isNarrow = true
		default:
			widths[i] = 0
		}
	}
}

// leastNeeded returns the column that a table is to do without next: of the lowest rank, and of those one that may be
// cut before one that is aligned to the right, the last one first. Zero: there is none.
func leastNeeded(cols []Column, widths []int, isNarrow bool) int {
	least := 0
	for i, c := range cols {
		if i == 0 || widths[i] == 0 || c.Keep && !isNarrow {
			continue
		}
		if least == 0 || c.Rank < cols[least].Rank || c.Rank == cols[least].Rank && (cols[least].Right || !c.Right) {
			least = i
		}
	}
	return least
}

// squeeze cuts the widest to one common level so that all of them fit into room, and gives what the
// level leaves over to the first of those it cut.
func squeeze(widths []*int, room int) {
	total := func(level int) (sum int) {
		for _, w := range widths {
			sum += min(*w, level)
		}
		return sum
	}
	level := 1
	for level < room && total(level+1) <= room {
		level++
	}
	spare := room - total(level)
	for _, w := range widths {
		if *w <= level {
			continue
		}
		*w = level
		if spare > 0 {
			*w++
			spare--
		}
	}
}

// wrapped paints a text and breaks it between words where a terminal is too narrow. It begins at a column, and its
// further lines after an indent.
func (f surface) wrapped(t Tone, text string, column, indent int) string {
	const least = 20 // columns of text that are of use
	width := f.width - column
	if !f.tty || width < least {
		return f.paint(t, text)
	}
	var lines []string
	line := ""
	for i, word := range unbreakable(text) {
		if longer := line + " " + word; i > 0 && CellWidth(longer) <= width {
			line = longer
			continue
		}
		if i > 0 {
			lines = append(lines, f.paint(t, line))
			width = f.width - indent
		}
		line = word
	}
	return strings.Join(append(lines, f.paint(t, line)), "\n"+strings.Repeat(" ", indent))
}

// unbreakable returns the words of a text. A command counts as one word.
func unbreakable(text string) (words []string) {
	inCommand := false
	for _, word := range strings.Split(text, " ") {
		if inCommand && !strings.HasPrefix(word, "(") {
			words[len(words)-1] += " " + word
		} else {
			words, inCommand = append(words, word), word == "payctl"
		}
		inCommand = inCommand && !strings.HasSuffix(word, ",") && !strings.HasSuffix(word, ".")
	}
	return words
}

// details draws labels and values. Values are never cut, because users copy them. What a service does not show is not
// there.
func (f surface) details(d Details) []byte {
	var b bytes.Buffer
	shown := func(c Cell) bool { return c.Text != "" }
	labels := 0
	for _, field := range d {
		if slices.ContainsFunc(field.Cells, shown) {
			labels = max(labels, CellWidth(Sanitize(field.Label)))
		}
	}
	for _, field := range d {
		label := Sanitize(field.Label)
		for i, c := range field.Cells {
			value := f.wrapped(c.Tone, Sanitize(c.Text), labels+columnGap, labels+columnGap)
			switch {
			case !shown(c):
			case !f.tty:
				b.WriteString(label + "\t" + value + "\n")
			case i > 0:
				b.WriteString(strings.Repeat(" ", labels+columnGap) + value + "\n")
			default:
				b.WriteString(f.paint(Dim, label) + strings.Repeat(" ", labels-CellWidth(label)+columnGap) + value + "\n")
			}
		}
	}
	return b.Bytes()
}
