package rows

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonReader reads JSON values with their positions.
type jsonReader struct {
	*jsontext.Decoder
	text   []byte
	at     Position // of the byte at passed
	passed int64
}

// readJSON reads JSON values one after another, or the elements of arrays.
func readJSON(text []byte, line int) iter.Seq2[Row, *Error] {
	r := &jsonReader{
		Decoder: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, at: Position{Line: line, Column: 1},
	}
	return func(yield func(Row, *Error) bool) {
		for {
			row, err := r.next()
			wrong := (*Error)(nil)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				wrong = r.explain(err).last()
			case row.Fields == nil && !row.Named: // a bracket
				continue
			}
			if !yield(row, wrong) || wrong != nil {
				return
			}
		}
	}
}

// next reads the next value, or a bracket of an array of all values, which has no fields.
func (r *jsonReader) next() (row Row, err error) {
	switch kind := r.PeekKind(); {
	case kind == '[' && r.StackDepth() == 0, kind == ']':
		_, err = r.ReadToken()
		return row, err
	case kind != '{':
		value, err := r.ReadValue()
		at := r.position(r.InputOffset() - int64(len(value)))
		return Row{Position: at, Fields: []Field{newField("", at, value)}}, err
	}
	row.Named = true
	row.Fields, err = r.members(&row.Position, nil, "")
	return row, err
}

// members reads the members of an object. Members of an object within it get both names, such as address.city. The
// decoder refuses duplicate names.
func (r *jsonReader) members(begin *Position, fields []Field, prefix string) ([]Field, error) {
	_, err := r.ReadToken() // the brace
	*begin = r.position(r.InputOffset() - 1)
	for err == nil && r.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = r.ReadValue(); err != nil {
			break
		}
		at, full := r.position(r.InputOffset()-int64(len(name))), prefix+unquote(name)
		if prefix == "" && r.PeekKind() == '{' {
			fields, err = r.members(new(Position), fields, full+".")
		} else if value, err = r.ReadValue(); err == nil {
			fields = append(fields, newField(full, at, value))
		}
	}
	if err == nil {
		_, err = r.ReadToken()
	}
	return fields, err
}

// position is the position of an offset. Offsets do not decrease.
func (r *jsonReader) position(offset int64) Position {
	offset = min(max(offset, r.passed), int64(len(r.text)))
	r.at, r.passed = r.at.after(r.text[r.passed:offset]), offset
	return r.at
}

// explain adds the position to an error of the decoder.
func (r *jsonReader) explain(err error) *Error {
	offset := r.InputOffset()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, err = syntax.ByteOffset, syntax.Err
	}
	return Errorf(r.position(offset), "%v", err)
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

// unquote returns the content of a JSON string from the decoder.
func unquote(quoted jsontext.Value) string {
	content, _ := jsontext.AppendUnquote(nil, quoted)
	return string(content)
}
