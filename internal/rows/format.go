package rows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/plaintext"
)

// saveAsUTF8 says how to write a file as UTF-8 on a system: in a spreadsheet, or with what is at hand there.
var saveAsUTF8 = map[bool]string{
	true:  `save it as "CSV UTF-8", or write it with -Encoding utf8`,
	false: `save it as UTF-8, or convert it with iconv -f WINDOWS-1252 -t UTF-8`,
}[runtime.GOOS == "windows"]

// MaxFile bounds a file, in bytes, by the memory that it takes: about a million rows.
const MaxFile = 128 << 20

// Read reads a file of that name to its end: as UTF-8, also if it is UTF-16 with a byte order mark, and with LF behind
// each line, also if lines end with CRLF or, as old spreadsheets write them, with CR alone.
func Read(name string, from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(plaintext.NewReader(from), MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxFile:
		return nil, fmt.Errorf("%s: %w: it is larger than %d bytes; split it", name, ErrUnusable, MaxFile)
	case bytes.IndexByte(text, '\r') < 0:
		return text, nil
	case bytes.IndexByte(text, '\n') < 0:
		return bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), nil
	}
	return bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r")), nil
}

// New recognises the format of a text by its first line that is not blank: a JSON array begins with [, NDJSON with {,
// and everything else is CSV. The cells of CSV are separated by commas, semicolons or tabs, whichever divides the rows as
// it divides the header. The error is io.EOF for a text without content and an *Error for a header that cannot be read.
//
// With isHeader, New reads a list that people write or other programs print: lines that begin with # are comments, and a
// file has columns only if isHeader accepts the names in its first line. Otherwise each line is a value: JSON, or text as
// it is.
func New(text []byte, isHeader func(names []string) bool) (*Reader, error) {
	if bytes.HasPrefix(text, []byte("PK\x03\x04")) { // a ZIP archive
		return nil, unreadable("the file is a workbook; save the sheet as CSV UTF-8")
	}
	if !utf8.Valid(text) { // the characters of Windows-1252 and other old encodings cannot be told from each other
		mark := []byte{0xff, 0xff}
		valid, _, _ := bytes.Cut(bytes.ToValidUTF8(text, mark), mark)
		return nil, &Error{PositionOf(text, int64(len(valid))), "the text is not UTF-8; " + saveAsUTF8, true}
	}
	isList, number := isHeader != nil, 1
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	for isSkipped(first, isList) {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		text, number = rest, number+1
		first, rest, _ = bytes.Cut(text, []byte("\n"))
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, unreadable("the file has zero bytes, as UTF-16 without a byte order mark has; " + saveAsUTF8)
	}
	comma := separator(text)
	switch begin := bytes.TrimSpace(first)[0]; {
	case begin == '[':
		return newArray(text, number)
	case begin == '{', isList && !isHeader(names(string(first), comma)):
		return newLines(text, number, isList), nil
	}
	return newTable(text, number, comma)
}

// triedRows is how many rows decide what separates the cells of a file: enough that a few rows with a mistake do not.
const triedRows = 50

// separator returns the character that separates the cells of a CSV file: the one with which most of its first rows have
// as many cells as the header, and of several such characters the one with most cells.
func separator(text []byte) rune {
	best, bestEven, bestWidth := ',', 0, 1
	for _, char := range []rune{',', ';', '\t'} {
		records := csv.NewReader(bytes.NewReader(text))
		records.Comma, records.FieldsPerRecord, records.ReuseRecord = char, -1, true
		header, err := records.Read()
		width, even := len(header), 0
		for tried := 0; err == nil && width > 1 && tried < triedRows; tried++ {
			var cells []string
			if cells, err = records.Read(); err == nil && len(cells) == width {
				even++
			}
			if _, isOfRow := errors.AsType[*csv.ParseError](err); isOfRow {
				err = nil // which says nothing about the other rows
			}
		}
		if cmp.Or(cmp.Compare(even, bestEven), cmp.Compare(width, bestWidth)) > 0 {
			best, bestEven, bestWidth = char, even, width
		}
	}
	return best
}

// names are the cells of a header, without the spaces around them; nil if the line is not CSV.
func names(line string, comma rune) []string {
	header := csv.NewReader(strings.NewReader(line))
	header.Comma = comma
	cells, _ := header.Read()
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// newLines reads a value from each line that is not skipped.
func newLines(text []byte, number int, comments bool) *Reader {
	return &Reader{read: func(row *Row) error {
		for len(text) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			if number++; !isSkipped(line, comments) {
				value := bytes.TrimSpace(line)
				return row.setValue(value, Position{Line: number - 1, Column: 1 + bytes.Index(line, value)})
			}
		}
		return io.EOF
	}}
}

// isSkipped reports whether a line is blank, a comment, or one such as `sep=;` for spreadsheets, which the rows show too.
func isSkipped(line []byte, comments bool) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || comments && line[0] == '#' || len(line) == len("sep=;") && bytes.HasPrefix(line, []byte("sep="))
}
