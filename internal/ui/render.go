package ui

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

const (
	columnGap = 2
	// minColumn is the least a column is squeezed to: a letter, and the mark of the cut.
	minColumn = 3
	// longestID is the width of an identifier that is cut only where the terminal is narrower.
	longestID = 36
)

// view draws a Table or Details.
func (f surface) view(v View) []byte {
	switch v := v.(type) {
	case Table:
		if !f.tty {
			return f.plainTable(v.Columns, v.Rows, true)
		}
		if len(v.Rows) == 0 {
			return nil
		}
		text, _ := f.terminalTable(v)
		return text
	case Details:
		return f.details(v)
	case Checklist:
		return f.checklist(v)
	}
	return nil
}

// terminalTable draws a table that has rows. The notice says what is not shown; empty if there is nothing.
func (f surface) terminalTable(t Table) (text []byte, notice string) {
	rows, common := forTerminal(t.Rows, true)
	widths := f.fit(t.Columns, f.measure(t.Columns, rows))
	return f.alignedTable(t.Columns, rows, widths, true), notShown(t.Columns, rows, widths, common, "use a wider terminal or -o csv")
}

// notShown says which columns a terminal has no room for, with an advice, and what all times that are shown have in
// common.
func notShown(cols []Column, rows [][]Cell, widths []int, common, advice string) string {
	var hidden, parts []string
	for i, width := range widths {
		if width == 0 {
			hidden = append(hidden, strings.ToLower(cols[i].Header))
		}
	}
	if len(hidden) > 0 {
		parts = append(parts, "Hidden: "+strings.Join(hidden, ", ")+"; "+advice+".")
	}
	if common != "" && slices.ContainsFunc(rows, func(row []Cell) bool { return showsTime(row, widths) }) {
		parts = append(parts, common)
	}
	return strings.Join(parts, " ")
}

// showsTime reports whether one of the columns of a row that are drawn has a time.
func showsTime(row []Cell, widths []int) bool {
	for i, width := range widths {
		if width > 0 && !cellAt(row, i).Time.IsZero() {
			return true
		}
	}
	return false
}

// plainTable is for programs: values separated by tabs, which no sanitised cell contains.
func (f surface) plainTable(cols []Column, rows [][]Cell, header bool) []byte {
	var b bytes.Buffer
	if header {
		head := make([]Cell, len(cols))
		for i, c := range cols {
			head[i] = Text(strings.ToUpper(c.Header))
		}
		b.WriteString(f.line(head, len(cols), "\t"))
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
		texts[i] = f.paint(cell.Tone, f.text(cell.Text))
	}
	return strings.Join(texts, separator) + "\n"
}

// alignedTable draws columns of the given display widths; those of width 0 are left out.
func (f surface) alignedTable(cols []Column, rows [][]Cell, widths []int, header bool) []byte {
	var b bytes.Buffer
	if header {
		head := make([]Cell, len(cols))
		for i, c := range cols {
			head[i] = Toned(Bold, f.cut(strings.ToUpper(c.Header), widths[i]))
		}
		f.alignedRow(&b, cols, head, widths)
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
		switch {
		case i == 0:
			text = f.tail(text, widths[i])
		case c.Ends:
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

// tail is the end of an identifier that is too long for its place: those that were made one after another begin alike.
// Any other text is left as it is.
func (f style) tail(id string, width int) string {
	if !isPlain(id) || strings.Contains(id, " ") || len(id) <= width || width <= 1 {
		return id
	}
	return f.ellipsis() + id[len(id)-width+1:]
}

// ends is the beginning and the end of a text that is too long for its place. A text that is not plain is left as it
// is.
func (f style) ends(text string, width int) string {
	if !isPlain(text) || len(text) <= width || width <= minColumn {
		return text
	}
	end := (width - 1) / 2
	return text[:width-1-end] + f.ellipsis() + text[len(text)-end:]
}

// isPlain reports whether a text consists of printable ASCII, so that each byte has one column.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
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

// readable is the width that a column is not cut below while another can be left out instead.
const readable = 10

// fit narrows the widest columns until the table fits the surface. It keeps these columns whole as long as it can: the
// first, an identifier that users copy; those aligned to the right, amounts that a cut would falsify; and those marked
// to be kept or shown whole. If that is not enough, columns are left out (width 0) in the order of leastNeeded. On an
// even narrower terminal the columns marked to be kept are narrowed, too.
func (f surface) fit(cols []Column, wanted []int) []int {
	widths := slices.Clone(wanted)
	isWhole := func(i int) bool { return i == 0 || cols[i].Right || cols[i].Keep || cols[i].Whole }
	for {
		least, whole, room := 0, 0, f.width+columnGap
		var flexible []*int
		for i := range widths {
			if widths[i] > 0 {
				room -= columnGap
			}
			if isWhole(i) {
				whole += widths[i]
				continue
			}
			flexible = append(flexible, &widths[i])
			least += min(widths[i], cmp.Or(cols[i].Least, readable))
		}
		if whole+least <= room {
			squeeze(flexible, room-whole)
			return widths
		}
		i := leastNeeded(cols, widths)
		if i == 0 {
			return f.squeezeAll(cols, wanted)
		}
		widths[i] = 0
	}
}

// leastNeeded returns the column that a table is to do without next: of the lowest rank, and of those one that may be
// cut before one that is aligned to the right, the last one first. Columns to keep are not left out. Zero: there is
// none.
func leastNeeded(cols []Column, widths []int) int {
	least := 0
	for i, c := range cols {
		if i == 0 || c.Keep || widths[i] == 0 {
			continue
		}
		if least == 0 || c.Rank < cols[least].Rank || c.Rank == cols[least].Rank && (cols[least].Right || !c.Right) {
			least = i
		}
	}
	return least
}

// squeezeAll narrows the columns to keep and leaves out the last ones if there is too little room. The first column,
// which identifies the row, gets the most room.
func (f surface) squeezeAll(cols []Column, wanted []int) []int {
	widths := make([]int, len(wanted))
	others := 0 // that the columns to keep want at least
	for i := 1; i < len(cols); i++ {
		if cols[i].Keep {
			others += columnGap + min(wanted[i], readable)
		}
	}
	widths[0] = min(wanted[0], max(f.width-others, longestID), f.width)
	room := f.width - widths[0]
	var kept []*int
	for i, used := 1, 0; i < len(cols); i++ {
		if !cols[i].Keep {
			continue
		}
		used += columnGap + min(wanted[i], readable)
		if used > room && (len(kept) > 0 || room < columnGap+minColumn) {
			break
		}
		widths[i] = wanted[i]
		kept = append(kept, &widths[i])
	}
	squeeze(kept, room-columnGap*len(kept))
	return widths
}

// squeeze cuts the widest to one common level so that all of them fit into room, and gives what the
// level leaves over to the first of those it cut.
func squeeze(widths []*int, room int) {
	level := 1
	for level < room && total(widths, level+1) <= room {
		level++
	}
	spare := room - total(widths, level)
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

func total(widths []*int, level int) int {
	sum := 0
	for _, w := range widths {
		sum += min(*w, level)
	}
	return sum
}

// details draws labels and values. Values are never cut, because users copy them.
func (f surface) details(d Details) []byte {
	var b bytes.Buffer
	labels := 0
	isEmpty := func(f Field) bool { return !slices.ContainsFunc(f.Cells, func(c Cell) bool { return c.Text != "" }) }
	d = slices.DeleteFunc(slices.Clone(d), isEmpty) // what a service does not show is not there
	for _, field := range d {
		labels = max(labels, CellWidth(Sanitize(field.Label)))
	}
	for _, field := range d {
		label := Sanitize(field.Label)
		for i, c := range field.Cells {
			indent := labels + columnGap
			value := f.folded(c.Tone, Sanitize(c.Text), indent, indent)
			if !f.tty {
				b.WriteString(label + "\t" + value + "\n")
				continue
			}
			if i > 0 {
				label = ""
			}
			b.WriteString(f.paint(Dim, label))
			if value != "" {
				b.WriteString(strings.Repeat(" ", labels-CellWidth(label)+columnGap) + value)
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
