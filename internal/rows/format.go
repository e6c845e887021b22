package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"runtime"
	"strings"

	"github.com/payctl/payctl/internal/plaintext"
)

// saveAsUTF8 says how to write a file as UTF-8.
var saveAsUTF8 = encodingAdvice(runtime.GOOS)

// encodingAdvice says how to write a file as UTF-8 on a system: in a spreadsheet, or with what is at hand there.
func encodingAdvice(system string) string {
	if system == "windows" {
		return `save it as "CSV UTF-8", or write it with -Encoding utf8`
	}
	return `save it as UTF-8, or convert it with iconv -f WINDOWS-1252 -t UTF-8`
}

// New recognises the format of a file by its first line that is not blank: a JSON array begins with [, NDJSON with {,
// and everything else is CSV. The cells of CSV are separated by commas, semicolons or tabs, whichever divides the rows as
// it divides the header, or by the character that a line `sep=;` before the header names. Values are UTF-8; a file that
// begins with a byte order mark may be UTF-16. Lines may end with CR alone. The error is io.EOF for a file without
// content and an *Error for a header that cannot be read.
//
// With isHeader, New reads a list that people write or other programs print: lines that begin with # are comments,
// columns may be separated by tabs, and a file has columns only if isHeader accepts the names in its first line.
// Otherwise each line is a value: JSON, or text as it is.
func New(content io.Reader, isHeader func(names []string) bool) (*Reader, error) {
	from := bufio.NewReaderSize(plaintext.NewReader(content), MaxRow+1)
	start, _ := from.Peek(MaxRow) // the loop below reads the error
	switch {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")): // a ZIP archive
		return nil, unreadable("the file is a workbook; save the sheet as CSV UTF-8")
	case bytes.IndexByte(start, '\r') >= 0 && bytes.IndexByte(start, '\n') < 0:
		from = bufio.NewReaderSize(carriageReturns{from}, MaxRow+1)
	}
	comments, skipped := isHeader != nil, 0
	var comma rune // that separates the cells; 0: the rows show it
	var err error
	for {
		start, err = from.Peek(MaxRow)
		if len(start) == 0 {
			return nil, err
		}
		line, _, _ := bytes.Cut(start, []byte("\n"))
		if named := namedSeparator(string(line)); named != 0 && comma == 0 {
			comma = named
		} else if !isSkipped(line, comments) {
			break
		}
		_, _ = from.Discard(min(len(line)+1, len(start))) // Peek has read it
		skipped++
	}
	first, _, _ := strings.Cut(string(start), "\n")
	if strings.Contains(first, "\x00") {
		return nil, unreadable("the file has zero bytes, as UTF-16 without a byte order mark has; " + saveAsUTF8)
	}
	if comma == 0 {
		comma = separator(start, errors.Is(err, io.EOF))
	}
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

// carriageReturns reads a text whose lines end with CR alone, as old spreadsheets write them, with LF in their place.
type carriageReturns struct{ from io.Reader }

// Read implements io.Reader.
func (c carriageReturns) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	for i, char := range p[:n] {
		if char == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// namedSeparator returns the character of a line such as `sep=;`, by which spreadsheets learn what separates the cells
// of the lines that follow; 0 for any other line.
func namedSeparator(line string) rune {
	named, isNamed := strings.CutPrefix(strings.TrimRight(line, "\r"), "sep=")
	if isNamed && len(named) == 1 && strings.Contains(",;\t|", named) {
		return rune(named[0])
	}
	return 0
}

// triedRows is how many rows decide what separates the cells of a file: enough that a few rows with a mistake do not.
const triedRows = 50

// separator returns the character that separates the cells of a CSV file, by its start: the one with which most of its
// first rows have as many cells as the header, and of several such characters the one with most cells. Whole reports
// that the start is the whole file; otherwise its last line may be cut off.
func separator(start []byte, whole bool) rune {
	if !whole {
		start = start[:bytes.LastIndexByte(start, '\n')+1]
	}
	best, bestEven, bestWidth := ',', 0, 1
	for _, char := range []rune{',', ';', '\t'} {
		records := csv.NewReader(bytes.NewReader(start))
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

// A lineReader reads lines that are not blank.
type lineReader struct {
	lines    *bufio.Scanner
	number   int // of the last line
	comments bool
}

func newLineReader(content io.Reader, skipped int, comments bool) *lineReader {
	lines := bufio.NewScanner(content)
	lines.Buffer(make([]byte, 0, 4<<10), MaxRow)
	return &lineReader{lines, skipped, comments}
}

func (l *lineReader) next() ([]byte, error) {
	for l.lines.Scan() {
		l.number++
		if line := l.lines.Bytes(); !isSkipped(line, l.comments) {
			return line, nil
		}
	}
	switch err := l.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, tooLong(Position{Line: l.number + 1, Column: 1})
	case err != nil:
		return nil, err
	}
	return nil, io.EOF
}

// newLines reads a value from each line.
func newLines(content io.Reader, skipped int, comments bool) *Reader {
	lines := newLineReader(content, skipped, comments)
	return &Reader{read: func(row *Row) error {
		line, err := lines.next()
		if err != nil {
			return err
		}
		text := bytes.TrimSpace(line)
		return row.setValue(text, Position{Line: lines.number, Column: 1 + bytes.Index(line, text)})
	}}
}

// isSkipped reports whether a line is blank or a comment.
func isSkipped(line []byte, comments bool) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || comments && line[0] == '#'
}
