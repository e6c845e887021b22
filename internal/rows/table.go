package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"slices"
)

// newCell returns a field with a text. An empty text means null.
func newCell(name string, at Position, text string) Field {
	if text == "" {
		return Field{Position: at, Name: name, Kind: 'n'}
	}
	return Field{Position: at, Name: name, Kind: '"', Text: text}
}

// readTable reads CSV with this separator. It skips records without content, which spreadsheets write for empty rows.
func readTable(text []byte, number int, separator rune) (header []Field, all iter.Seq2[Row, *Error], wrong *Error) {
	records := csv.NewReader(bytes.NewReader(text))
	records.Comma = separator
	position := func(cell int) Position { // of the last record
		line, column := records.FieldPos(cell)
		return Position{Line: number - 1 + line, Column: column}
	}
	names, err := records.Read()
	if err != nil {
		return nil, nil, wrongRecord(err, number-1, names, 0)
	}
	named := len(names) // without the columns at the end that a spreadsheet adds
	for named > 1 && names[named-1] == "" {
		named--
	}
	for i, name := range names[:named] {
		header = append(header, Field{Position: position(i), Name: Undefuse(name)})
	}
	records.ReuseRecord = true
	hasContent := func(cell string) bool { return cell != "" }
	fields := make([]Field, len(header))
	return header, func(yield func(Row, *Error) bool) {
		for {
			cells, err := records.Read()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				if !yield(Row{}, wrongRecord(err, number-1, cells, len(header))) {
					return
				}
				continue
			case len(cells) > 1 && !slices.ContainsFunc(cells, hasContent):
				continue
			}
			for i, text := range cells[:named] {
				fields[i] = newCell(header[i].Name, position(i), Undefuse(text))
			}
			row, wrong := Row{position(0), true, fields}, (*Error)(nil)
			if i := slices.IndexFunc(cells[named:], hasContent); i >= 0 {
				row, wrong = Row{}, Errorf(position(named+i), "the column of this cell has no name")
			}
			if !yield(row, wrong) {
				return
			}
		}
	}, nil
}

// wrongRecord is the error of a record. skipped is how many lines come before the first record.
func wrongRecord(err error, skipped int, cells []string, columns int) *Error {
	parse, _ := errors.AsType[*csv.ParseError](err) // a text in memory has no other error
	if errors.Is(err, csv.ErrFieldCount) {
		return Errorf(Position{Line: skipped + parse.StartLine, Column: 1}, "the row has %d columns, the header has %d",
			len(cells), columns)
	}
	if parse.Line > parse.StartLine { // a quote that is not closed may have taken many rows
		return Errorf(Position{Line: skipped + parse.StartLine, Column: 1}, "%v", parse.Err).last()
	}
	return Errorf(Position{Line: skipped + parse.Line, Column: parse.Column}, "%v", parse.Err)
}
