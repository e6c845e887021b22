package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Stream writes the elements of a list as they come: pages, or the changes that a watch sees. What
// stands on Out after Close is what Print would have written of the whole list, but that the columns of
// a table on a terminal are aligned as far as the rows are known. Not safe for concurrent use.
type Stream struct {
	// Empty is the sentence on standard error when a table is closed without a row.
	Empty string
	// Advice is what to do about columns that a terminal has no room for, after a semicolon in a note. Empty means no
	// note.
	Advice string
	// Whole shows all columns also where a line is longer than that of the terminal: a list that is followed.
	Whole bool

	p      *Printer
	cols   []Column
	widths []int
	drawn  []int        // the widths with which the last page was drawn
	note   string       // what the last page does not show
	held   bytes.Buffer // JSON of the elements, for a jq expression over the whole list
	count  int
	broken error
	closed bool
}

// Stream begins a list; cols are needed for the formats table and csv.
func (p *Printer) Stream(cols []Column) *Stream {
	return &Stream{p: p, cols: cols, widths: make([]int, len(cols))}
}

// Write writes one element at once, in a single Write.
func (st *Stream) Write(value any, row []Cell) error {
	return st.WritePage([]any{value}, [][]Cell{row})
}

// WritePage writes several elements in a single Write; a table on a terminal aligns them together.
// values and rows are the same elements for a program and for a person. Where an element cannot be
// encoded, it and those after it are left out and Close still ends the list well; after a failed Write
// every further call returns its error.
func (st *Stream) WritePage(values []any, rows [][]Cell) error {
	if st.broken != nil || len(values) == 0 {
		return st.broken // Close writes the header of a list without rows
	}
	var b bytes.Buffer
	encodeErr := st.encode(&b, values, rows)
	return errors.Join(st.send(b.Bytes()), encodeErr)
}

func (st *Stream) encode(b *bytes.Buffer, values []any, rows [][]Cell) error {
	for i, value := range values {
		values[i] = received(value)
	}
	switch st.p.format {
	case FormatTable:
		st.table(b, rows)
		return nil
	case FormatCSV:
		records, err := csvRecords(st.cols, rows, st.count == 0)
		st.count += len(rows)
		b.Write(records)
		return err
	case FormatNDJSON:
		return st.p.lines(b, values)
	case FormatYAML:
		return st.yamlItems(b, values)
	}
	if st.p.jq != nil {
		return st.hold(values)
	}
	return st.jsonItems(b, values)
}

// mostHeld is how much JSON a jq expression over a whole list gets: the list of 100,000 accounts. It takes several
// times as much memory while it is filtered.
const mostHeld = 64 << 20

// ErrTooLongForJQ is the error of a longer list.
var ErrTooLongForJQ = errors.New("--jq sees the whole list at once, which has more than 64 MiB of JSON")

// hold keeps values until the end of the list. One that is too long is an error also of Close, since the expression
// must not take a part of the list for the whole.
func (st *Stream) hold(values []any) error {
	for _, value := range values {
		doc, err := compactJSON(value)
		if err != nil {
			return err
		}
		if st.held.Len()+len(doc) > mostHeld {
			st.held, st.broken = bytes.Buffer{}, ErrTooLongForJQ
			return st.broken
		}
		if st.held.Len() > 0 {
			st.held.WriteByte(',')
		}
		st.held.Write(doc)
	}
	return nil
}

func (st *Stream) table(b *bytes.Buffer, rows [][]Cell) {
	surface := st.p.s.outSurface()
	first := st.count == 0
	st.count += len(rows)
	if !surface.tty {
		b.Write(surface.plainTable(st.cols, rows, first))
		return
	}
	for i, w := range surface.measure(st.cols, rows) {
		st.widths[i] = max(st.widths[i], w)
	}
	widths := slices.Clone(st.widths)
	if !st.Whole {
		widths = surface.fit(st.cols, widths)
	}
	sameColumns := slices.EqualFunc(widths, st.drawn, func(a, b int) bool { return (a == 0) == (b == 0) })
	st.drawn = widths
	b.Write(surface.alignedTable(st.cols, rows, widths, !sameColumns))
	st.note = notShown(st.cols, widths, st.Advice)
}

func (st *Stream) jsonItems(b *bytes.Buffer, values []any) error {
	for _, value := range values {
		doc, err := indentedJSON(value, jsonIndent)
		if err != nil {
			return err
		}
		if st.count == 0 {
			b.WriteString("[\n")
		} else {
			b.WriteString(",\n")
		}
		b.WriteString(jsonIndent)
		b.Write(doc)
		st.count++
	}
	return nil
}

// yamlItems writes each value as a sequence of one item; such sequences, one after another, are one.
func (st *Stream) yamlItems(b *bytes.Buffer, values []any) error {
	for _, value := range values {
		item, err := yamlDocument([]any{value})
		if err != nil {
			return err
		}
		b.Write(item)
		st.count++
	}
	return nil
}

// Close ends the list so that what was written is a whole document, also when nothing was, or when the
// list ends before its time. Closing twice does nothing.
func (st *Stream) Close() error {
	if st.closed || st.broken != nil {
		st.closed = true
		return st.broken
	}
	st.closed = true
	var b bytes.Buffer
	err := st.end(&b)
	err = errors.Join(st.send(b.Bytes()), err)
	if err == nil && st.Advice != "" {
		st.p.note(st.note)
	}
	return err
}

func (st *Stream) end(b *bytes.Buffer) error {
	switch format := st.p.format; {
	case format == FormatJSON && st.p.jq != nil:
		return st.p.jq.run(st.p.ctx, b, json.RawMessage("["+st.held.String()+"]"), st.p.rawText)
	case format == FormatNDJSON:
	case st.count > 0 && format == FormatJSON:
		b.WriteString("\n]\n")
	case st.count > 0:
	case format == FormatTable:
		st.p.note(st.Empty)
		if surface := st.p.s.outSurface(); !surface.tty {
			b.Write(surface.plainTable(st.cols, nil, true))
		}
	case format == FormatCSV:
		records, err := csvRecords(st.cols, nil, true)
		b.Write(records)
		return err
	default:
		b.WriteString("[]\n")
	}
	return nil
}

func (st *Stream) send(b []byte) error {
	if len(b) > 0 {
		st.broken = st.p.write(b)
		return st.broken
	}
	return nil
}
