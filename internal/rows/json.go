package rows

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// newArray reads the elements of a JSON array.
func newArray(text []byte, line int) (*Reader, error) {
	elements := jsontext.NewDecoder(bytes.NewBuffer(text))
	at, passed := Position{Line: line, Column: 1}, int64(0)
	position := func(offset int64) Position { // offsets do not decrease
		offset = min(max(offset, passed), int64(len(text)))
		at, passed = at.after(text[passed:offset]), offset
		return at
	}
	explain := func(err error) error {
		offset, reason := syntaxError(err, elements.InputOffset())
		return &Error{position(offset), reason, true}
	}
	if _, err := elements.ReadToken(); err != nil { // the bracket
		return nil, explain(err)
	}
	return &Reader{read: func(row *Row) error {
		if elements.PeekKind() == ']' {
			if _, err := elements.ReadToken(); err != nil {
				return explain(err)
			}
			if _, err := elements.ReadToken(); !errors.Is(err, io.EOF) {
				return &Error{position(elements.InputOffset()), "there is more behind the array", true}
			}
			return io.EOF
		}
		element, err := elements.ReadValue()
		if err != nil {
			return explain(err)
		}
		return row.setValue(element, position(elements.InputOffset()-int64(len(element))))
	}}, nil
}

// syntaxError is the offset and the reason of an error of a decoder that has read as far as end.
func syntaxError(err error, end int64) (offset int64, reason string) {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return end, "the input ends within a value"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return syntax.ByteOffset, "the input ends within a value"
	}
	return syntax.ByteOffset, syntax.Err.Error()
}

// setValue makes a row of a text that begins at a position: a JSON object, another JSON value, or plain text.
func (r *Row) setValue(text []byte, at Position) (err error) {
	r.Position, r.Named = at, text[0] == '{'
	switch text[0] {
	case '{':
		r.Fields, err = appendMembers(r.Fields, "", text, at)
		return err
	case '"', '[':
		value := jsontext.Value(text)
		if !value.IsValid() {
			return &Error{Position: at, Reason: "the line is not valid JSON"}
		}
		r.Fields = append(r.Fields, newField("", at, value))
	default:
		r.Fields = append(r.Fields, Field{Position: at, Kind: '"', Text: string(text)})
	}
	return nil
}

func newField(name string, at Position, value jsontext.Value) Field {
	field := Field{Position: at, Name: name, Kind: value.Kind()}
	switch field.Kind {
	case 'n':
	case '"':
		field.Text = unquote(value)
	default:
		field.Text = string(value)
	}
	return field
}

// unquote returns the content of a JSON string that the decoder has checked.
func unquote(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	content, _ := jsontext.AppendUnquote(nil, quoted)
	return string(content)
}

// appendMembers appends the members of a JSON object that begins at a position, and those of an object within it with both
// names, as address.city. The last one of several with one name would be a guess, so that the decoder refuses them.
func appendMembers(fields []Field, prefix string, text []byte, at Position) ([]Field, error) {
	members := jsontext.NewDecoder(bytes.NewBuffer(text))
	explain := func(err error) error {
		offset, reason := syntaxError(err, members.InputOffset())
		return &Error{Position: at.after(text[:min(offset, int64(len(text)))]), Reason: reason}
	}
	if _, err := members.ReadToken(); err != nil { // the brace
		return nil, explain(err)
	}
	for members.PeekKind() != '}' {
		name, err := members.ReadValue()
		if err != nil {
			return nil, explain(err)
		}
		begin := at.after(text[:members.InputOffset()-int64(len(name))])
		content := unquote(name)
		value, err := members.ReadValue()
		if err != nil {
			return nil, explain(err)
		}
		if value.Kind() != '{' || prefix != "" {
			fields = append(fields, newField(prefix+content, begin, value))
			continue
		}
		start := at.after(text[:members.InputOffset()-int64(len(value))])
		if fields, err = appendMembers(fields, prefix+content+".", value, start); err != nil {
			return nil, err
		}
	}
	if _, err := members.ReadToken(); err != nil {
		return nil, explain(err)
	}
	if end := members.InputOffset(); len(bytes.TrimSpace(text[end:])) > 0 {
		return nil, &Error{Position: at.after(text[:end]), Reason: "there is more behind the object"}
	}
	return fields, nil
}
