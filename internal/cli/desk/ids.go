package desk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/wait"
)

// Limits of a file of identifiers.
const (
	longestLine = 64 << 10 // bytes
	longestID   = 256      // bytes
	mostIDs     = 1_000_000
)

// byteOrderMark is what some programs begin a file with.
const byteOrderMark = "\ufeff"

// An idFile is a file with identifiers: one on each line, or JSON values or records of which one member or column holds it.
type idFile struct {
	name    string   // for errors at a place
	called  string   // for other errors
	members []string // that may hold the identifier, the most telling first
	ids     []string
}

// readIDs reads the file of --from; - is standard input. A file that does not come to an end, such as a pipe that nobody
// writes to, is read for as long as the context lasts.
func readIDs(ctx context.Context, d *deps.Deps, path string, members []string) ([]string, error) {
	return wait.For(ctx, func() ([]string, error) { return readFile(d, path, members) })
}

func readFile(d *deps.Deps, path string, members []string) ([]string, error) {
	source := d.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, deps.Usage("the file of --from cannot be read: %v", err)
		}
		defer file.Close()
		source = file
	}
	f := idFile{name: deps.InputName(path), called: deps.TheInput(path), members: members}
	if err := f.read(source); err != nil {
		return nil, err
	}
	if len(f.ids) == 0 {
		return nil, deps.Usage("%s holds no identifier", f.called)
	}
	return f.ids, nil
}

// read tells the forms apart by the first line that says something: a JSON array, the header of a file with columns of
// which one names identifiers, or else an identifier or JSON value a line.
func (f *idFile) read(source io.Reader) error {
	begin := bufio.NewReader(source)
	if mark, err := begin.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = begin.Discard(len(byteOrderMark)) // it is there
	}
	lines := bufio.NewScanner(begin)
	lines.Buffer(nil, longestLine)
	for number := 1; lines.Scan(); number++ {
		text := lines.Text()
		if isSilent(text) {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(text), "[") {
			return f.array(lines, text)
		}
		if columns := f.columns(text); columns != nil {
			return f.readCSV(lines, number, columns)
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

// isSilent says whether a line says nothing: it is empty, or a comment.
func isSilent(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func (f *idFile) failed(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, bufio.ErrTooLong) {
		return deps.Usage("%s: a line is longer than %d bytes", f.name, longestLine)
	}
	return deps.Usage("%s cannot be read: %v", f.called, err)
}

// line takes in a line that is an identifier, a JSON object, or a JSON text that is an identifier.
func (f *idFile) line(text string, number int) error {
	trimmed := strings.TrimSpace(text)
	column := 1 + len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	switch {
	case isSilent(trimmed):
		return nil
	case trimmed[0] == '{':
		return f.object([]byte(trimmed), number, column)
	case trimmed[0] == '"':
		var id string
		if err := json.Unmarshal([]byte(trimmed), &id); err != nil {
			return f.wrong(number, column, "is no JSON text")
		}
		return f.add(id, number, column)
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

// columns are what the header of a file with columns tells.
type columns struct {
	comma     rune // between them
	fields    int
	withID    int
	unescaped bool // quotes are part of the text
}

// columns reads the header of a CSV file, or of a table whose columns tabs part, if one of its columns holds identifiers; nil
// when it does not.
func (f *idFile) columns(header string) *columns {
	c := &columns{comma: ','}
	if strings.Contains(header, "\t") {
		c.comma, c.unescaped = '\t', true
	}
	reader := csv.NewReader(strings.NewReader(header))
	reader.Comma, reader.LazyQuotes = c.comma, c.unescaped
	record, err := reader.Read()
	if err != nil {
		return nil
	}
	c.fields = len(record)
	for _, name := range f.members {
		if c.withID = slices.IndexFunc(record, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }); c.withID >= 0 {
			return c
		}
	}
	return nil
}

// readCSV reads the records (RFC 4180) behind a header that stands on a line.
func (f *idFile) readCSV(lines *bufio.Scanner, header int, c *columns) error {
	rest := f.rest(lines)
	defer rest.Close()
	records := csv.NewReader(rest)
	records.FieldsPerRecord, records.ReuseRecord, records.Comma, records.LazyQuotes = c.fields, true, c.comma, c.unescaped
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
		line, at := records.FieldPos(c.withID)
		if err := f.add(record[c.withID], header+line, at); err != nil {
			return err
		}
	}
}

// rest is what stands in the lines that have not been read. Whoever closes it needs no more of it.
func (f *idFile) rest(lines *bufio.Scanner) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		for lines.Scan() {
			if _, err := writer.Write(append(lines.Bytes(), '\n')); err != nil {
				return
			}
		}
		_ = writer.CloseWithError(lines.Err()) // always nil
	}()
	return reader
}

// array reads a JSON array of objects or identifiers that begins on a line.
func (f *idFile) array(lines *bufio.Scanner, begin string) error {
	rest := f.rest(lines)
	defer rest.Close()
	decoder := jsontext.NewDecoder(io.MultiReader(strings.NewReader(begin+"\n"), rest))
	if _, err := decoder.ReadToken(); err != nil {
		return f.broken(1, err)
	}
	number := 1
	for ; decoder.PeekKind() != ']'; number++ {
		value, err := decoder.ReadValue()
		if err != nil {
			return f.broken(number, err)
		}
		element := idFile{name: fmt.Sprintf("%s, element %d", f.name, number), members: f.members, ids: f.ids}
		if err := element.line(string(value), 1); err != nil {
			return err
		}
		f.ids = element.ids
	}
	if _, err := decoder.ReadToken(); err != nil {
		return f.broken(number, err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return deps.Usage("%s: there is more behind the array", f.name)
	}
	return nil
}

// broken says that an element of an array cannot be read.
func (f *idFile) broken(number int, err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		return deps.Usage("%s, element %d: %v", f.name, number, syntax.Err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return deps.Usage("%s ends in the middle of element %d", f.called, number)
	}
	return f.failed(err)
}

// add takes in an identifier.
func (f *idFile) add(id string, line, column int) error {
	switch {
	case id == "":
		return f.wrong(line, column, "the identifier is empty")
	case len(id) > longestID:
		return f.wrong(line, column, "the identifier is longer than any is")
	case strings.ContainsFunc(id, unicode.IsSpace) || term.Sanitize(id) != id:
		return f.wrong(line, column, "an identifier holds neither spaces nor characters that cannot be seen")
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
