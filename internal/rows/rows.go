// Package rows reads the records of a file one after another: CSV with a header (RFC 4180), NDJSON, the elements of a
// JSON array, or plain lines. It keeps one record in memory, bounds its size, and reports every error with line and
// column.
package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/plaintext"
)

// MaxRow bounds a row, in bytes: several times the largest transfer that the contract allows (50 metadata values of
// 500 characters), and small enough that a quote that is never closed does not fill the memory.
const MaxRow = 64 << 10

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

// unreadable is the error of a file of which no row can be read.
func unreadable(reason string) error { return &Error{Position{Line: 1, Column: 1}, reason, true} }

// tooLong is the error of a row that is longer than MaxRow.
func tooLong(at Position) error {
	return &Error{at, fmt.Sprintf("the row is longer than %d bytes, or a quote is not closed", MaxRow), true}
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

// Members are the members of a field that is a JSON object, all at the position of the field.
func (f Field) Members() []Field {
	members, _ := appendMembers(nil, []byte(f.Text), f.Position) // the text was checked when the field was read
	for i := range members {
		members[i].Position = f.Position
	}
	return members
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

// Format is the form of a file.
type Format string

// The formats.
const (
	CSV   Format = "CSV"
	JSON  Format = "JSON"   // an array
	Lines Format = "NDJSON" // or a plain value a line
)

// A Reader reads the rows of a file.
type Reader struct {
	Format Format
	// Columns are the names in the header of a CSV file, with their positions.
	Columns []Field

	read   func(*Row) error
	row    Row
	mapper *mapper // nil without a mapping
}

// New recognises the format of a file by its first line that is not blank: a JSON array begins with [, NDJSON with {,
// and everything else is CSV. The cells of CSV are separated by commas, or by semicolons or tabs if the header has more
// of these, as some spreadsheets write it, or by the character that a line `sep=;` before the header names. Values are
// UTF-8; a file that begins with a byte order mark may be UTF-16. The error is io.EOF for a file without content and an
// *Error for a header that cannot be read.
//
// With isHeader, New reads a list that people write or other programs print: lines that begin with # are comments,
// columns may be separated by tabs, and a file has columns only if isHeader accepts the names in its first line.
// Otherwise each line is a value: JSON, or text as it is.
func New(content io.Reader, isHeader func(names []string) bool) (*Reader, error) {
	from := bufio.NewReaderSize(plaintext.NewReader(content), MaxRow+1)
	if mark, err := from.Peek(4); err == nil && string(mark) == "PK\x03\x04" { // a ZIP archive
		return nil, unreadable("the file is a workbook; save the sheet as CSV UTF-8")
	}
	comments, skipped := isHeader != nil, 0
	var comma rune   // that separates the cells; 0: the header shows it
	var first string // line
	for {
		start, err := from.Peek(MaxRow)
		if len(start) == 0 {
			return nil, err
		}
		line, _, _ := bytes.Cut(start, []byte("\n"))
		first = string(line)
		if named := namedSeparator(first); named != 0 && comma == 0 {
			comma = named
		} else if !isSkipped(line, comments) {
			break
		}
		_, _ = from.Discard(min(len(line)+1, len(start))) // Peek has read it
		skipped++
	}
	if strings.Contains(first, "\x00") {
		return nil, unreadable("the file has zero bytes, as UTF-16 without a byte order mark has; " + saveAsUTF8)
	}
	comma = cmp.Or(comma, separator(first))
	tabs := isHeader != nil && strings.Contains(first, "\t")
	switch begin := strings.TrimSpace(first)[0]; {
	case begin == '[':
		return newArray(from, skipped)
	case begin == '{', isHeader != nil && !isHeader(names(first, comma, tabs)):
		return newLines(from, skipped, comments), nil
	case tabs:
		return newTabTable(from, skipped)
	}
	return newTable(from, skipped, comma)
}

// saveAsUTF8 says how to write a file as UTF-8: in a spreadsheet, and in Windows PowerShell.
const saveAsUTF8 = `save it as "CSV UTF-8", or write it with -Encoding utf8`

// namedSeparator returns the character of a line such as `sep=;`, by which spreadsheets learn what separates the cells
// of the lines that follow; 0 for any other line.
func namedSeparator(line string) rune {
	named, isNamed := strings.CutPrefix(strings.TrimRight(line, "\r"), "sep=")
	if isNamed && len(named) == 1 && strings.Contains(",;\t|", named) {
		return rune(named[0])
	}
	return 0
}

// checkUTF8 returns an *Error for the first of some fields that is not UTF-8. The characters of Windows-1252 and other old
// encodings cannot be told from each other. The error is final, since more rows would only repeat it.
func checkUTF8(fields []Field) error {
	for _, field := range fields {
		for _, text := range []string{field.Name, field.Text} {
			if utf8.ValidString(text) {
				continue
			}
			valid, _, _ := strings.Cut(strings.ToValidUTF8(text, "\ufffd"), "\ufffd")
			reason := fmt.Sprintf("character %d of the value is not UTF-8; %s", utf8.RuneCountInString(valid)+1, saveAsUTF8)
			return &Error{field.Position, reason, true}
		}
	}
	return nil
}

// separator is the character that separates the cells of a CSV file with that header.
func separator(header string) rune {
	counts := map[rune]int{}
	quoted := false
	for _, char := range header {
		switch {
		case char == '"':
			quoted = !quoted
		case !quoted:
			counts[char]++
		}
	}
	best := ','
	for _, other := range []rune{';', '\t'} {
		if counts[other] > counts[best] {
			best = other
		}
	}
	return best
}

// Next reads the next row. The error is io.EOF behind the last row; an *Error for a row that cannot be read; or the
// error of the reader below. Behind an *Error that is not Final the next row can be read.
func (r *Reader) Next() (*Row, error) {
	r.row.Fields = r.row.Fields[:0]
	err := r.read(&r.row)
	if err == nil {
		err = checkUTF8(r.row.Fields)
	}
	if err != nil {
		return nil, err
	}
	return &r.row, nil
}

// Count counts the rows of a file in which a column has one of some texts, as far as the file can be read.
func Count(content io.Reader, column string, texts ...string) (count int) {
	has := func(f Field) bool { return f.Name == column && slices.Contains(texts, f.Text) }
	read, err := New(content, nil)
	for err == nil {
		var row *Row
		if row, err = read.Next(); err == nil && slices.ContainsFunc(row.Fields, has) {
			count++
		}
	}
	return count
}

// names are the cells of a header, without the spaces around them; nil if the line is not CSV.
func names(line string, comma rune, tabs bool) []string {
	cells := strings.Split(line, "\t")
	if !tabs {
		header := csv.NewReader(strings.NewReader(line))
		header.Comma = comma
		cells, _ = header.Read()
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

var errTooLong = errors.New("the row is too long")

// A limitedReader returns errTooLong when left bytes have been read.
type limitedReader struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
