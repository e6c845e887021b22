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

// saveAsUTF8 says how to write a file as UTF-8 on a system: in a spreadsheet, or with what is at hand there.
var saveAsUTF8 = map[bool]string{
	true:  `save it as "CSV UTF-8", or write it with -Encoding utf8`,
	false: `save it as UTF-8, or convert it with iconv -f WINDOWS-1252 -t UTF-8`,
}[runtime.GOOS == "windows"]

// maxFile bounds a file, in bytes, by the memory that it takes: about a million rows.
const maxFile = 128 << 20

// readText reads a file to its end: as UTF-8, also if it is UTF-16 with a byte order mark, and with LF behind each line,
// also if lines end with CRLF or, as old spreadsheets write them, with CR alone.
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

// open recognises the format of a text by its first line that is not blank: JSON begins with [ or {, and everything else is
// CSV. The cells of CSV are separated by commas, semicolons or tabs, whichever divides the rows as it divides the header.
// isHeader is that of a list; nil if the text is none. The fields of a row are valid until the next one. The error says why
// no row can be read.
func open(text []byte, isHeader func([]Field) bool) (header []Field, all iter.Seq2[Row, *Error], err *Error) {
	if bytes.HasPrefix(text, []byte("PK\x03\x04")) { // a ZIP archive
		return nil, nil, Errorf(start, "the file is a workbook; save the sheet as CSV UTF-8")
	}
	if !utf8.Valid(text) { // the characters of Windows-1252 and other old encodings cannot be told from each other
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
		return nil, nil, Errorf(Position{number, 1, ""}, "the file is XML, as pain.001 and camt.053 are; payctl reads CSV and NDJSON")
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

// readLines reads the text of each line that is not skipped.
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

// isSkipped reports whether a line is blank, a comment, or one such as `sep=;` for spreadsheets, which the rows show too.
func isSkipped(line []byte, comments bool) bool {
	line = bytes.TrimSpace(line)
	word := bytes.ToLower(bytes.Trim(line, `"`))
	return len(line) == 0 || comments && line[0] == '#' || len(word) == len("sep=;") && bytes.HasPrefix(word, []byte("sep="))
}
