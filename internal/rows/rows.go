// Package rows reads the records of a file one after another: CSV with a header (RFC 4180), NDJSON, the elements of a
// JSON array, or plain lines. It keeps the text of the file in memory, and reports every error with line and column.
package rows

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnusable is the error of a file that cannot be read as rows. It is wrapped with the file's name.
var ErrUnusable = errors.New("the file cannot be used")

// A Position is a place in a file. Both numbers count from one; a column is a byte.
type Position struct {
	Line, Column int
	// Flag is the flag, with its value, that gave a value in place of the file; Line and Column are then zero.
	Flag string
}

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
	Reason string
	// Final reports that no row behind this one can be read.
	Final bool
}

// Error implements error.
func (e *Error) Error() string { return e.String() + ": " + e.Reason }

// Errorf returns the error of a place in a file.
func Errorf(at Position, format string, args ...any) *Error {
	return &Error{Position: at, Reason: fmt.Sprintf(format, args...)}
}

// unreadable is the error of a file of which no row can be read.
func unreadable(reason string) error { return &Error{Position{Line: 1, Column: 1}, reason, true} }

// MostErrors is how many errors of a file are kept: more than a person corrects one by one.
const MostErrors = 100

// Errors are the first errors of a file, in its order.
type Errors struct {
	First []*Error
	More  int // how many others there are
}

// Add adds an error of the file.
func (e *Errors) Add(wrong *Error) {
	switch {
	case wrong.Flag != "" && slices.ContainsFunc(e.First, func(known *Error) bool { return *known == *wrong }):
		return // a constant is wrong in every row
	case len(e.First) == MostErrors:
		e.More++
		return
	}
	at, _ := slices.BinarySearchFunc(e.First, wrong, func(a, b *Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, -1)
	})
	e.First = slices.Insert(e.First, at, wrong)
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
	Named bool
	// Fields are valid until the next row is read.
	Fields []Field
}

// A Reader reads the rows of a file.
type Reader struct {
	// IsTable reports that the file is CSV, with a header; otherwise it has JSON, or a plain value a line.
	IsTable bool
	// Columns are the names in the header of a CSV file, with their positions.
	Columns []Field

	read    func(*Row) error
	row     Row
	mapping *Mapping    // nil without one
	amounts AmountStyle // of the file
	unused  map[string]bool
	mapped  Row
}

// Open reads a file that was read, and whose rows have the members of a mapping. The error is ErrUnusable with the
// file's name.
func Open(name string, text []byte, mapping *Mapping) (*Reader, error) {
	r, err := New(text, nil)
	if err == nil {
		err = r.mapWith(mapping)
	}
	_, isOfFile := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w: it is empty", name, ErrUnusable)
	case isOfFile:
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, name, err)
	}
	return r, err
}

// Next reads the next row. The error is io.EOF behind the last row, or an *Error for a row that cannot be read. Behind an
// *Error that is not Final the next row can be read.
func (r *Reader) Next() (*Row, error) {
	row := &r.row
	row.Fields = row.Fields[:0]
	err := r.read(row)
	if err == nil && r.mapping != nil {
		err = r.mapRow()
		row = &r.mapped
	}
	if err != nil {
		return nil, err
	}
	return row, nil
}

// mapRow maps the row that was read.
func (r *Reader) mapRow() (err error) {
	where := "the row"
	switch {
	case !r.row.Named:
		return Errorf(r.row.Position, "a row must be a JSON object, one a line")
	case r.IsTable:
		where = ""
	}
	r.mapped.Position, r.mapped.Named = r.row.Position, true
	r.mapped.Fields, err = r.apply(r.mapped.Fields[:0], r.row.Fields, r.row.Position, where)
	return err
}

// Each reads the rows to the end of a file of that name, and calls do with each, of at most so many. Errors of rows are added
// to all; any other one ends it.
func (r *Reader) Each(ctx context.Context, name string, most int, all *Errors, do func(*Row) error) error {
	for count := 1; ; count++ {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(row)
		}
		wrong, isOfRow := errors.AsType[*Error](err)
		switch {
		case isOfRow:
			if all.Add(wrong); wrong.Final {
				return nil
			}
		case err != nil:
			return err
		case count > most:
			return fmt.Errorf("%s: %w: it has more than %d rows; split it", name, ErrUnusable, most)
		case count%1024 == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// ErrNone returns the error of a file of that name without any row.
func ErrNone(name string) error { return fmt.Errorf("%s: %w: it has no rows", name, ErrUnusable) }
