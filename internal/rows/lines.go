package rows

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

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
	return &Reader{Format: Lines, read: func(row *Row) error {
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
