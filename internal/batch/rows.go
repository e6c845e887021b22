package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxRow is the most bytes of one row.
const maxRow = 64 << 10

type form string

const (
	formCSV    form = "csv"
	formNDJSON form = "ndjson"
)

// Rows are the rows of a file, one after another.
type Rows interface {
	// Next reads the next row into one that is empty. The error is io.EOF behind the last; a *Mistake of a row that cannot
	// be read, behind which the next may be read; or another, behind which nothing can.
	Next(row *Row) error
	// Columns are the names of the columns, as far as they are known.
	Columns() []string
}

// Rows reads the file from its start.
func (s *Source) Rows() (Rows, error) {
	content := bufio.NewReaderSize(s.reader(), 64<<10)
	if mark, err := content.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = content.Discard(len(mark)) // a byte order mark, which was just read
	}
	first, err := content.Peek(1)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w: it is empty", s.Name, ErrUnusable)
	case err != nil:
		return nil, err
	}
	if first[0] == '[' {
		return nil, fmt.Errorf("%s: %w: it is a JSON array; NDJSON has one object a line, as jq -c '.[]' makes them", s.Name, ErrUnusable)
	}
	if mark, err := content.Peek(2); err == nil && (string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff") {
		return nil, fmt.Errorf("%s: %w: it is UTF-16; save it as UTF-8", s.Name, ErrUnusable)
	}
	if s.format(first[0]) == formNDJSON {
		return newNDJSON(content), nil
	}
	if first[0] == '{' {
		return nil, fmt.Errorf("%s: %w: it is JSON by its content and CSV by its name; let the name end in .ndjson", s.Name, ErrUnusable)
	}
	rows, err := newCSV(content)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w: it has nothing but empty lines", s.Name, ErrUnusable)
	}
	if mistake, ok := errors.AsType[*Mistake](err); ok {
		return nil, fmt.Errorf("%w: %s:%w", ErrUnusable, s.Name, mistake)
	}
	return rows, err
}

// member finds a member by its name.
func member(name string) (int, bool) {
	at := slices.Index(names[:], name)
	return at, at >= 0
}

func unknownColumn(name string) string {
	return fmt.Sprintf("%q is no column: there are reference, contact, route, amount, amount_type and metadata.NAME", name)
}

func tooLong() string {
	return fmt.Sprintf("the row is longer than %d bytes, or a quote is not closed", maxRow)
}
