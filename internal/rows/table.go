package rows

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

func wrongWidth(line, cells, columns int) error {
	reason := fmt.Sprintf("the row has %d columns, the header has %d", cells, columns)
	return &Error{Position: Position{Line: line, Column: 1}, Reason: reason}
}

func newCell(name string, at Position, text string) Field {
	if text == "" {
		return Field{Position: at, Name: name, Kind: 'n'}
	}
	return Field{Position: at, Name: name, Kind: '"', Text: text}
}

// A table reads the records behind a header.
type table struct {
	limit   *limitedReader
	records *csv.Reader
	columns []Field
	skipped int // lines before the header
	line    int // of the last record
}

// newTable reads CSV whose cells are separated by a character.
func newTable(content io.Reader, skipped int, separator rune) (*Reader, error) {
	limit := &limitedReader{content, MaxRow}
	t := &table{limit: limit, records: csv.NewReader(limit), skipped: skipped, line: skipped}
	t.records.Comma = separator
	header, err := t.records.Read()
	if err != nil {
		return nil, t.explain(err)
	}
	for i, name := range header {
		t.columns = append(t.columns, Field{Position: t.position(i), Name: name})
	}
	if err := checkUTF8(t.columns); err != nil {
		return nil, err
	}
	t.records.ReuseRecord = true
	return &Reader{IsTable: true, Columns: t.columns, read: t.next}, nil
}

// position is the position of a cell of the last record.
func (t *table) position(cell int) Position {
	line, column := t.records.FieldPos(cell)
	return Position{Line: t.skipped + line, Column: column}
}

// next reads the next record. Spreadsheets write the empty rows below a table as records without content, which are
// skipped.
func (t *table) next(row *Row) error {
	t.limit.left = MaxRow
	cells, err := t.records.Read()
	for err == nil && len(cells) > 1 && !slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
		t.limit.left = MaxRow
		t.line, _ = t.records.FieldPos(0)
		t.line += t.skipped
		cells, err = t.records.Read()
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok && errors.Is(err, csv.ErrFieldCount) {
		return wrongWidth(t.skipped+parse.Line, len(cells), len(t.columns))
	}
	if err != nil {
		return t.explain(err)
	}
	row.Position, row.Named = t.position(0), true
	for i, text := range cells {
		row.Fields = append(row.Fields, newCell(t.columns[i].Name, t.position(i), text))
	}
	t.line = row.Line
	return nil
}

func (t *table) explain(err error) error {
	parse, isParse := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, errTooLong):
		return tooLong(Position{Line: t.line + 1, Column: 1})
	case isParse:
		return &Error{Position: Position{Line: t.skipped + parse.Line, Column: max(parse.Column, 1)}, Reason: parse.Err.Error()}
	}
	return err
}

// newTabTable reads a table as programs print it: tabs between the cells, and quotes that are part of the text.
func newTabTable(content io.Reader, skipped int) (*Reader, error) {
	lines := newLineReader(content, skipped, false)
	next := func() (cells []Field, err error) {
		line, err := lines.next()
		at := Position{Line: lines.number, Column: 1}
		for text := range strings.SplitSeq(strings.TrimSuffix(string(line), "\r"), "\t") {
			cells = append(cells, newCell(text, at, text))
			at.Column += len(text) + 1
		}
		return cells, err
	}
	columns, err := next()
	return &Reader{IsTable: true, Columns: columns, read: func(row *Row) error {
		cells, err := next()
		switch {
		case err != nil:
			return err
		case len(cells) != len(columns):
			return wrongWidth(cells[0].Line, len(cells), len(columns))
		}
		for i := range cells {
			cells[i].Name = columns[i].Name
		}
		row.Position, row.Named, row.Fields = cells[0].Position, true, append(row.Fields, cells...)
		return nil
	}}, err
}
