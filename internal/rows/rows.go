// Package rows reads the rows of a file: CSV with a header (RFC 4180), NDJSON, a JSON array, or plain lines. Every
// error has a line and a column.
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

// A Position is a position in a file. Both numbers count from one. A column is a byte.
type Position struct {
	Line, Column int
	// Flag is the flag and its text, if the value comes from a flag instead of the file. Line and Column are then zero.
	Flag string
}

var start = Position{Line: 1, Column: 1}

// String returns the position for errors.
func (p Position) String() string {
	if p.Flag != "" {
		return p.Flag
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// In returns the position with the name of its file.
func (p Position) In(file string) string {
	if p.Flag != "" {
		return p.Flag
	}
	return file + ":" + p.String()
}

// PositionOf returns the position of the byte at an offset of a file's content, or of its end.
func PositionOf(content []byte, offset int64) Position {
	return Position{Line: 1, Column: 1}.after(content[:min(offset, int64(len(content)))])
}

// after returns the position after a text that begins at p.
func (p Position) after(text []byte) Position {
	if newlines := bytes.Count(text, []byte("\n")); newlines > 0 {
		return Position{Line: p.Line + newlines, Column: len(text) - bytes.LastIndexByte(text, '\n')}
	}
	return Position{Line: p.Line, Column: p.Column + len(text)}
}

// An Error is the reason why a row cannot be read or used.
type Error struct {
	Position
	Member string // the column or member; empty for the row or the file
	Reason string
	Fields []Field // what could be read of the row
	IsLast bool    // the rows after it cannot be read
}

// Error implements error.
func (e *Error) Error() string { return e.String() + ": " + e.Reason }

// Errorf returns the error at a position.
func Errorf(at Position, format string, args ...any) *Error {
	return &Error{Position: at, Reason: fmt.Sprintf(format, args...)}
}

// last returns the error with the consequence that no further row can be read.
func (e *Error) last() *Error {
	e.IsLast = true
	e.Reason += "; the rows after it cannot be read"
	return e
}

// Errors are the errors of a file.
type Errors []*Error

// Sort sorts them in the order of the file. The error of a constant, which every row has, stays once.
func (e *Errors) Sort() {
	slices.SortStableFunc(*e, func(a, b *Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Flag, b.Flag))
	})
	*e = slices.CompactFunc(*e, func(a, b *Error) bool { return a.Position == b.Position && a.Reason == b.Reason })
}

// A Field is one value of a row.
type Field struct {
	Position        // of the cell, or of the member's name
	Name     string // of the column or member; empty if the row is a single value
	// Kind is the type of a JSON value: '"' for a string, 'n' for null, '0' for a number and so on. A plain line and a
	// cell of a CSV file are strings. An empty cell is null.
	Kind jsontext.Kind
	Text string // the content of a string; the JSON text of any other value; empty for null
}

// A Row is one record of a file.
type Row struct {
	Position
	// Named reports whether the fields have names, in a CSV record or a JSON object. Otherwise the row is a single value.
	Named  bool
	Fields []Field
}

// A File is the content of a file, read with a mapping.
type File struct {
	Rows    []Row
	Columns []string // the members of the rows, in the order of their first row, at most maxColumns
	Unused  []string // columns that the mapping ignored, sorted
	Errors  Errors   // of rows
	// Sum identifies the text. It does not depend on line ends, on a byte order mark or on UTF-16.
	Sum [sha256.Size]byte
}

// maxColumns bounds the columns of a report and of a note, since each row of JSON may have other columns.
const maxColumns = 200

// Parse reads a file with a mapping to its end. most is the most rows. The error is of reading, or an *Error if the
// file cannot be used. Errors in rows are part of the result.
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

// List reads a list from a person or another program. Lines that begin with # are comments. The list has columns only
// if isHeader accepts its first line. Otherwise each line is a value, JSON or text. The fields of a row are valid
// until the next row. The error is of reading, or an *Error if no row can be read.
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
