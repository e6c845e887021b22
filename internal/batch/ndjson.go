package batch

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ndjsonRows reads JSON objects, one a line.
type ndjsonRows struct {
	lines *bufio.Scanner
	line  int
}

func newNDJSON(content io.Reader) Rows {
	n := &ndjsonRows{lines: bufio.NewScanner(content)}
	n.lines.Buffer(make([]byte, 0, 4<<10), maxRow)
	return n
}

// Columns implements Rows.
func (n *ndjsonRows) Columns() []string { return names[:] }

// Next implements Rows.
func (n *ndjsonRows) Next(row *Row) error {
	for n.lines.Scan() {
		n.line++
		line := n.lines.Bytes()
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		row.Line = n.line
		return n.object(line, row)
	}
	switch err := n.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errors.Join(&Mistake{Place{n.line + 1, 1}, tooLong()}, errTooLong)
	case err != nil:
		return err
	}
	return io.EOF
}

// object reads one line.
func (n *ndjsonRows) object(line []byte, row *Row) error {
	o := &object{Decoder: jsontext.NewDecoder(bytes.NewBuffer(line)), line: n.line}
	if o.PeekKind() != '{' {
		if _, err := o.ReadToken(); err != nil {
			return o.syntax(err)
		}
		return &Mistake{Place{n.line, 1}, "a row has to be a JSON object, one a line"}
	}
	if err := o.each(func(name string) error { return o.member(name, row) }); err != nil {
		return err
	}
	if _, err := o.ReadToken(); !errors.Is(err, io.EOF) {
		return o.mistake("something stands behind the object")
	}
	return nil
}

// An object is a line that is being read.
type object struct {
	*jsontext.Decoder
	line int
}

// mistake says what is wrong where the line has been read to.
func (o *object) mistake(reason string) error {
	return &Mistake{Place{o.line, int(o.InputOffset()) + 1}, reason}
}

// syntax is a mistake that the decoder has found.
func (o *object) syntax(err error) error {
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return &Mistake{Place{o.line, int(syntactic.ByteOffset) + 1}, syntactic.Err.Error()}
	}
	if errors.Is(err, io.EOF) {
		return o.mistake("the line ends within a value")
	}
	return o.mistake(err.Error())
}

// each reads the JSON object that comes next; value reads what belongs to a name.
func (o *object) each(value func(name string) error) error {
	if _, err := o.ReadToken(); err != nil {
		return o.syntax(err)
	}
	for o.PeekKind() != '}' {
		name, err := o.ReadToken()
		if err != nil {
			return o.syntax(err)
		}
		if err := value(name.String()); err != nil {
			return err
		}
	}
	if _, err := o.ReadToken(); err != nil {
		return o.syntax(err)
	}
	return nil
}

// member reads what a row has under a name.
func (o *object) member(name string, row *Row) error {
	at, known := member(name)
	switch {
	case name == "metadata":
		return o.metadata(row)
	case !known:
		return o.mistake(unknownColumn(name))
	}
	value, there, err := o.scalar(at == amount)
	if err != nil {
		return err
	}
	if there {
		row.values[at] = value
	}
	row.places[at] = Place{o.line, int(o.InputOffset()) - len(value)}
	return nil
}

// scalar reads a string, or null for none; an amount may be written as a number too, of which the text counts.
func (o *object) scalar(number bool) (value string, there bool, err error) {
	kind := o.PeekKind()
	if kind != '"' && kind != 'n' && (kind != '0' || !number) {
		if _, err := o.ReadValue(); err != nil {
			return "", false, o.syntax(err)
		}
		return "", false, o.mistake("a JSON string has to stand here")
	}
	token, err := o.ReadToken()
	if err != nil {
		return "", false, o.syntax(err)
	}
	if kind == 'n' {
		return "", false, nil
	}
	return token.String(), true, nil
}

// metadata reads an object of strings, or null for none.
func (o *object) metadata(row *Row) error {
	switch o.PeekKind() {
	case 'n':
		if _, err := o.ReadToken(); err != nil {
			return o.syntax(err)
		}
		return nil
	case '{':
		return o.each(func(name string) error {
			value, there, err := o.scalar(false)
			if there {
				if row.Metadata == nil {
					row.Metadata = map[string]string{}
				}
				row.Metadata[name] = value
			}
			return err
		})
	}
	if _, err := o.ReadValue(); err != nil {
		return o.syntax(err)
	}
	return o.mistake("metadata has to be a JSON object of strings")
}
