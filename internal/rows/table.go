package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
)

func wrongWidth(line, cells, columns int) error {
	return Errorf(Position{Line: line, Column: 1}, "the row has %d columns, the header has %d", cells, columns)
}

func newCell(name string, at Position, text string) Field {
	if text == "" {
		return Field{Position: at, Name: name, Kind: 'n'}
	}
	return Field{Position: at, Name: name, Kind: '"', Text: text}
}

// newTable reads CSV whose cells are separated by a character. Spreadsheets write the empty rows below a table as records
// without content, which are skipped.
func newTable(text []byte, number int, separator rune) (*Reader, error) {
	records := csv.NewReader(bytes.NewReader(text))
	records.Comma = separator
	position := func(cell int) Position { // of the last record
		line, column := records.FieldPos(cell)
		return Position{Line: number - 1 + line, Column: column}
	}
	read := func() (cells []string, err error) {
		cells, err = records.Read()
		if parse, isParse := errors.AsType[*csv.ParseError](err); isParse {
			at := Position{Line: number - 1 + parse.Line, Column: max(parse.Column, 1)}
			switch {
			case errors.Is(err, csv.ErrFieldCount):
				return nil, wrongWidth(at.Line, len(cells), records.FieldsPerRecord)
			case parse.StartLine < parse.Line: // it may be far from where the mistake is
				at = Position{Line: number - 1 + parse.StartLine, Column: 1}
				return nil, Errorf(at, "%v; perhaps a quote is not closed", parse.Err)
			}
			return nil, &Error{Position: at, Reason: parse.Err.Error()}
		}
		return cells, err
	}
	header, err := read()
	if err != nil {
		return nil, err
	}
	var columns []Field
	for i, name := range header {
		columns = append(columns, Field{Position: position(i), Name: name})
	}
	records.ReuseRecord = true
	hasContent := func(cell string) bool { return cell != "" }
	return &Reader{IsTable: true, Columns: columns, read: func(row *Row) error {
		cells, err := read()
		for err == nil && len(cells) > 1 && !slices.ContainsFunc(cells, hasContent) {
			cells, err = read()
		}
		if err != nil {
			return err
		}
		row.Position, row.Named = position(0), true
		for i, text := range cells {
			row.Fields = append(row.Fields, newCell(columns[i].Name, position(i), text))
		}
		return nil
	}}, nil
}
