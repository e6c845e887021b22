// Package rows reads the rows of a file: CSV with a header (RFC 4180), NDJSON, a JSON array, or plain lines. Every error
// has its line and column.
package rows

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Position is a place in a file. Both numbers count from one; a column is a byte.
type Position struct {
	Line, Column int
	// Flag is the flag, with its value, that gave a value in place of the file; Line and Column are then zero.
	Flag string
}

var start = Position{Line: 1, Column: 1}

// String is the position as errors print it.
func (p Position) String() string {
	if p.Flag != "" {
		return p.Flag
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// In is the position in a file of that name.
func (p Position) In(file string) string {
	if p.Flag != "" {
		return p.Flag
	}
	return file + ":" + p.String()
}

// PositionOf is the position of the byte at an offset of a file's content. An offset past the end is the end.
func PositionOf(content []byte, offset int64) Position {
	return Position{Line: 1, Column: 1}.after(content[:min(offset, int64(len(content)))])
}

// after is the position behind a text that begins at p.
func (p Position) after(text []byte) Position {
	if newlines := bytes.Count(text, []byte("\n")); newlines > 0 {
		return Position{Line: p.Line + newlines, Column: len(text) - bytes.LastIndexByte(text, '\n')}
	}
	return Position{Line: p.Line, Column: p.Column + len(text)}
}

// An Error is the reason why a row cannot be read, or not be used.
type Error struct {
	Position
	Member string // the column or member; empty for the row or the file
	Reason string
}

// Error implements error.
func (e *Error) Error() string { return e.String() + ": " + e.Reason }

// Errorf returns the error of a place in a file.
func Errorf(at Position, format string, args ...any) *Error {
	return &Error{Position: at, Reason: fmt.Sprintf(format, args...)}
}

// Errors are the errors of a file.
type Errors []*Error

// Sort brings them in the order of the file. A constant that is wrong in every row is wrong once.
func (e *Errors) Sort() {
	slices.SortStableFunc(*e, func(a, b *Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Flag, b.Flag))
	})
	*e = slices.CompactFunc(*e, func(a, b *Error) bool { return *a == *b })
}

// A Field is one value of a row.
type Field struct {
	Position        // of the cell, or of the member's name
	Name     string // of the column or member; empty if the row is a single value
	// Kind is the kind of a JSON value: '"' for a string, 'n' for null, '0' for a number and so on. A plain line and
	// a cell of a CSV file are strings; an empty cell is null, as nothing tells it from a missing value.
	Kind jsontext.Kind
	Text string // the content of a string; the JSON text of any other value; empty for null
}

// A Row is one record of a file.
type Row struct {
	Position
	// Named reports that the fields have names: the row is a CSV record or a JSON object. Otherwise it is a single
	// value.
	Named  bool
	Fields []Field
}

// A File is what a file has for a mapping.
type File struct {
	Rows    []Row
	Columns []string // the members of the rows, in the order in which they come, at most maxColumns
	Unused  []string // columns that the mapping left out, sorted
	Errors  Errors   // of rows
	// Sum identifies the text, also if an editor has saved it with other line ends, with a byte order mark or as UTF-16.
	Sum [sha256.Size]byte
}

// maxColumns bounds the columns of a report, and those that a note names: JSON may have others in each row.
const maxColumns = 200

// Parse reads a file, of at most so many rows, to its end. They have the members of a mapping. The error is that of reading,
// or an *Error if the file cannot be used; errors in rows are part of the result.
func Parse(from io.Reader, mapping *Mapping, most int) (*File, error) {
	text, err := readText(from)
	if err != nil {
		return nil, err
	}
	header, all, wrong := open(text, nil)
	m := &mapper{Mapping: mapping, amounts: mapping.Amounts, unused: map[string]bool{}, isTable: header != nil}
	if wrong == nil && m.isTable {
		wrong = m.checkHeader(header)
	}
	if wrong != nil {
		return nil, wrong
	}
	file := &File{Sum: sha256.Sum256(text)}
	for row, wrong := range all {
		if wrong == nil {
			row, wrong = m.mapRow(row)
		}
		if wrong != nil {
			file.Errors = append(file.Errors, wrong)
		} else {
			file.Rows = append(file.Rows, row)
		}
		if len(file.Rows)+len(file.Errors) > most {
			return nil, Errorf(start, "the file has more than %d rows; split it", most)
		}
		for _, field := range row.Fields {
			if len(file.Columns) < maxColumns && !slices.Contains(file.Columns, field.Name) {
				file.Columns = append(file.Columns, field.Name)
			}
		}
	}
	file.Unused = slices.Sorted(maps.Keys(m.unused))
	return file, nil
}

// List reads a list that people write or other programs print: lines that begin with # are comments, and a file has
// columns only if isHeader accepts its first line. Otherwise each line is a value: JSON, or text as it is. The fields of a
// row are valid until the next one. The error is that of reading, or an *Error if no row can be read.
func List(from io.Reader, isHeader func([]Field) bool) (iter.Seq2[Row, *Error], error) {
	text, err := readText(from)
	if err != nil {
		return nil, err
	}
	_, all, wrong := open(text, isHeader)
	if wrong != nil {
		return nil, wrong
	}
	return all, nil
}
