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
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	fail := func(reason string) error { return &Mistake{Place{n.line, int(d.InputOffset()) + 1}, reason} }
	syntax := func(err error) error {
		if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			return &Mistake{Place{n.line, int(syntactic.ByteOffset) + 1}, syntactic.Err.Error()}
		}
		if errors.Is(err, io.EOF) {
			return fail("the line ends within a value")
		}
		return fail(err.Error())
	}
	if d.PeekKind() != '{' {
		if _, err := d.ReadToken(); err != nil {
			return syntax(err)
		}
		return &Mistake{Place{n.line, 1}, "a row has to be a JSON object, one a line"}
	}
	if _, err := d.ReadToken(); err != nil {
		return syntax(err)
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return syntax(err)
		}
		name := token.String()
		at, known := member(name)
		switch {
		case name == "metadata":
			if err := metadata(d, row, fail, syntax); err != nil {
				return err
			}
		case known:
			value, there, err := scalar(d, at == amount, fail, syntax)
			if err != nil {
				return err
			}
			if there {
				row.values[at] = value
			}
			row.places[at] = Place{n.line, int(d.InputOffset()) - len(value)}
		default:
			return fail(unknownColumn(name))
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return syntax(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return fail("something stands behind the object")
	}
	return nil
}

// scalar reads a string, or null for none; an amount may be written as a number too, of which the text counts.
func scalar(d *jsontext.Decoder, number bool, fail func(string) error, syntax func(error) error) (value string, there bool, err error) {
	kind := d.PeekKind()
	if kind != '"' && kind != 'n' && (kind != '0' || !number) {
		if _, err := d.ReadValue(); err != nil {
			return "", false, syntax(err)
		}
		return "", false, fail("a JSON string has to stand here")
	}
	token, err := d.ReadToken()
	if err != nil {
		return "", false, syntax(err)
	}
	if kind == 'n' {
		return "", false, nil
	}
	return token.String(), true, nil
}

func metadata(d *jsontext.Decoder, row *Row, fail func(string) error, syntax func(error) error) error {
	switch d.PeekKind() {
	case 'n':
		if _, err := d.ReadToken(); err != nil {
			return syntax(err)
		}
		return nil
	case '{':
	default:
		if _, err := d.ReadValue(); err != nil {
			return syntax(err)
		}
		return fail("metadata has to be a JSON object of strings")
	}
	if _, err := d.ReadToken(); err != nil {
		return syntax(err)
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return syntax(err)
		}
		name := token.String()
		value, there, err := scalar(d, false, fail, syntax)
		if err != nil {
			return err
		}
		if there {
			if row.Metadata == nil {
				row.Metadata = map[string]string{}
			}
			row.Metadata[name] = value
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return syntax(err)
	}
	return nil
}
