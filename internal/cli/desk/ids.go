package desk

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/deps"
)

// Limits of a file of identifiers.
const (
	longestLine = 64 << 10 // bytes
	longestID   = 256      // bytes
	mostIDs     = 1_000_000
)

// byteOrderMark is what some programs begin a file with.
const byteOrderMark = "\ufeff"

// An idFile is a file with identifiers: one on each line, or JSON values or CSV records of which one member or column holds
// it.
type idFile struct {
	name    string   // for errors
	members []string // that may hold the identifier, the most telling first
	ids     []string
}

// readIDs reads the file of --from; - is standard input.
func readIDs(d *deps.Deps, path string, members []string) ([]string, error) {
	source, name := d.In, "standard input"
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, deps.Usage("the file of --from cannot be read: %v", err)
		}
		defer file.Close()
		source, name = file, path
	}
	f := idFile{name: name, members: members}
	if err := f.read(source); err != nil {
		return nil, err
	}
	if len(f.ids) == 0 {
		return nil, deps.Usage("%s holds no identifier", name)
	}
	return f.ids, nil
}

// read tells the three forms apart by the first line that is not empty: a JSON object, the header of a CSV file that names
// a column with identifiers, or an identifier.
func (f *idFile) read(source io.Reader) error {
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, longestLine)
	for number := 1; lines.Scan(); number++ {
		text := lines.Text()
		if number == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if column := f.column(text); column >= 0 {
			return f.readCSV(lines, number, strings.Count(text, ",")+1, column)
		}
		if err := f.line(text, number); err != nil {
			return err
		}
		for lines.Scan() {
			number++
			if err := f.line(lines.Text(), number); err != nil {
				return err
			}
		}
	}
	return f.failed(lines.Err())
}

func (f *idFile) failed(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, bufio.ErrTooLong) {
		return deps.Usage("%s: a line is longer than %d bytes", f.name, longestLine)
	}
	return deps.Usage("%s cannot be read: %v", f.name, err)
}

// line takes in a line that is an identifier or a JSON object.
func (f *idFile) line(text string, number int) error {
	trimmed := strings.TrimSpace(text)
	column := 1 + len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	switch {
	case trimmed == "":
		return nil
	case trimmed[0] == '{':
		return f.object([]byte(trimmed), number, column)
	}
	return f.add(trimmed, number, column)
}

func (f *idFile) object(text []byte, number, column int) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			return f.wrong(number, column+int(syntax.ByteOffset), syntax.Err.Error())
		}
		return f.wrong(number, column, "is no JSON object")
	}
	for _, name := range f.members {
		value, has := members[name]
		if !has {
			continue
		}
		at := column + max(bytes.Index(text, []byte(`"`+name+`"`)), 0)
		var id string
		if json.Unmarshal(value, &id) != nil {
			return f.wrong(number, at, name+" is no text")
		}
		return f.add(id, number, at)
	}
	return f.wrong(number, column, "has no member "+strings.Join(f.members, " or "))
}

// column finds the column with the identifiers in the header of a CSV file; -1 when it is none.
func (f *idFile) column(header string) int {
	record, err := csv.NewReader(strings.NewReader(header)).Read()
	if err != nil {
		return -1
	}
	for _, name := range f.members {
		if i := slices.IndexFunc(record, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// readCSV reads the records (RFC 4180) behind a header of so many fields on a line.
func (f *idFile) readCSV(lines *bufio.Scanner, header, fields, column int) error {
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() {
		for lines.Scan() {
			if _, err := writer.Write(append(lines.Bytes(), '\n')); err != nil {
				return
			}
		}
		_ = writer.CloseWithError(lines.Err()) // always nil
	}()
	records := csv.NewReader(reader)
	records.FieldsPerRecord, records.ReuseRecord = fields, true
	for {
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return f.wrong(header+wrong.Line, wrong.Column, wrong.Err.Error())
		}
		if err != nil {
			return f.failed(err)
		}
		line, at := records.FieldPos(column)
		if err := f.add(record[column], header+line, at); err != nil {
			return err
		}
	}
}

// add takes in an identifier.
func (f *idFile) add(id string, line, column int) error {
	switch {
	case id == "":
		return f.wrong(line, column, "the identifier is empty")
	case len(id) > longestID:
		return f.wrong(line, column, "the identifier is longer than any is")
	case !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return f.wrong(line, column, "an identifier holds neither spaces nor control characters")
	case len(f.ids) == mostIDs:
		return f.wrong(line, column, "these are more identifiers than can be followed")
	}
	f.ids = append(f.ids, id)
	return nil
}

func (f *idFile) wrong(line, column int, what string) error {
	return deps.Usage("%s:%d:%d: %s", f.name, line, column, what)
}

// distinct leaves out what came before.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		before := seen[id]
		seen[id] = true
		return before
	})
}
