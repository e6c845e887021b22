package rows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"runtime"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/textutil"
)

// saveAsUTF8 is how to write a file as UTF-8 on this system, in a spreadsheet or with a command.
var saveAsUTF8 = map[bool]string{
	true:  `save it as "CSV UTF-8", or write it with -Encoding utf8`,
	false: `save it as UTF-8, or convert it with iconv -f WINDOWS-1252 -t UTF-8`,
}[runtime.GOOS == "windows"]

// maxFile is the largest file, in bytes: about a million rows. It bounds the memory.
const maxFile = 128 << 20

// readText reads a file to its end. It converts UTF-16 with a byte order mark to UTF-8. It converts line ends to LF,
// from CRLF or from CR, which old spreadsheets write.
func readText(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(textutil.NewReader(from), maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxFile:
		return nil, Errorf(start, "the file is larger than %d bytes; split it", maxFile)
	case bytes.IndexByte(text, '\n') < 0:
		return bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), nil
	}
	return bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r")), nil
}

// open recognises the format of a text by its first line that is not blank. JSON begins with [ or {, and everything
// else is CSV. isHeader is the parameter of List, and nil for other files. The fields of a row are valid until the
// next one. The error means that no row can be read.
func open(text []byte, isHeader func([]Field) bool) (header []Field, all iter.Seq2[Row, *Error], err *Error) {
	if bytes.HasPrefix(text, []byte("PK\x03\x04")) { // a ZIP archive
		return nil, nil, Errorf(start, "the file is a workbook; save the sheet as CSV UTF-8")
	}
	if !utf8.Valid(text) { // nobody can distinguish Windows-1252 from other old encodings
		mark := []byte{0xff, 0xff}
		valid, _, _ := bytes.Cut(bytes.ToValidUTF8(text, mark), mark)
		return nil, nil, Errorf(PositionOf(text, int64(len(valid))), "the text is not UTF-8; %s", saveAsUTF8)
	}
	isList, number := isHeader != nil, 1
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	for isSkipped(first, isList) {
		if len(rest) == 0 {
			return nil, nil, Errorf(start, "the file is empty")
		}
		text, number = rest, number+1
		first, rest, _ = bytes.Cut(text, []byte("\n"))
	}
	begin := bytes.TrimSpace(first)[0]
	switch {
	case begin == '<' && !isList:
		return nil, nil, Errorf(Position{number, 1, ""},
			"the file is XML, like pain.001 and camt.053; payctl reads CSV and NDJSON")
	case begin == '[' || begin == '{':
		return nil, readJSON(text, number), nil
	}
	header, all, err = readTable(text, number, separator(text))
	switch {
	case !isList || err == nil && isHeader(header):
		return header, all, err
	case begin == '"':
		return nil, readJSON(text, number), nil
	}
	return nil, readLines(text, number), nil
}

// triedRows is how many rows separator looks at, so that a few rows with a mistake do not matter.
const triedRows = 50

// separator returns the character that separates the cells of a CSV file: a comma, a semicolon or a tab. With it,
// most of the first rows have as many cells as the header. Of several such characters it returns the one with the
// most cells.
func separator(text []byte) rune {
	best, bestEven, bestWidth := ',', 0, 1
	for _, char := range []rune{',', ';', '\t'} {
		records := csv.NewReader(bytes.NewReader(text))
		records.Comma, records.FieldsPerRecord, records.ReuseRecord = char, -1, true
		header, err := records.Read()
		width, even := len(header), 0
		for tried := 0; tried < triedRows && width > 1 && !errors.Is(err, io.EOF); tried++ {
			var cells []string
			if cells, err = records.Read(); err == nil && len(cells) == width {
				even++
			}
		}
		if cmp.Or(cmp.Compare(even, bestEven), cmp.Compare(width, bestWidth)) > 0 {
			best, bestEven, bestWidth = char, even, width
		}
	}
	return best
}

// readLines returns each line that is not skipped as a row.
func readLines(text []byte, number int) iter.Seq2[Row, *Error] {
	return func(yield func(Row, *Error) bool) {
		for line := range bytes.Lines(text) {
			value := bytes.TrimSpace(line)
			at := Position{Line: number, Column: 1 + bytes.Index(line, value)}
			if !isSkipped(line, true) && !yield(Row{Position: at, Fields: []Field{newCell("", at, string(value))}}, nil) {
				return
			}
			number++
		}
	}
}

// isSkipped reports whether a line is blank, a comment, or a line such as `sep=;` for spreadsheets.
func isSkipped(line []byte, comments bool) bool {
	line = bytes.TrimSpace(line)
	word := bytes.ToLower(bytes.Trim(line, `"`))
	isSeparator := len(word) == len("sep=;") && bytes.HasPrefix(word, []byte("sep="))
	return len(line) == 0 || comments && line[0] == '#' || isSeparator
}
