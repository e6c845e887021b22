package rows

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// newArray reads the elements of a JSON array.
func newArray(content io.Reader, skipped int) (*Reader, error) {
	limit := &limitedReader{content, MaxRow}
	lines := &lineIndex{from: limit, line: skipped + 1}
	elements := jsontext.NewDecoder(lines)
	explain := func(err error) error {
		if errors.Is(err, errTooLong) {
			return tooLong(lines.position(elements.InputOffset()))
		}
		offset, reason := syntaxError(err, elements.InputOffset())
		if reason == "" {
			return err
		}
		return &Error{lines.position(offset), reason, true}
	}
	if _, err := elements.ReadToken(); err != nil { // the bracket
		return nil, explain(err)
	}
	return &Reader{read: func(row *Row) error {
		limit.left = MaxRow
		if elements.PeekKind() == ']' {
			if _, err := elements.ReadToken(); err != nil {
				return explain(err)
			}
			if _, err := elements.ReadToken(); !errors.Is(err, io.EOF) {
				return &Error{lines.position(elements.InputOffset()), "there is more behind the array", true}
			}
			return io.EOF
		}
		element, err := elements.ReadValue()
		if err != nil {
			return explain(err)
		}
		return row.setValue(element, lines.position(elements.InputOffset()-int64(len(element))))
	}}, nil
}

// syntaxError is the offset and the reason of an error of a decoder that has read as far as end. The reason is empty
// if the input could not be read.
func syntaxError(err error, end int64) (offset int64, reason string) {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		end = syntax.ByteOffset
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return end, "the input ends within a value"
	case ok && syntax.Err.Error() == "invalid UTF-8":
		return end, syntax.Err.Error() + "; " + saveAsUTF8
	case ok:
		return end, syntax.Err.Error()
	}
	return end, ""
}

// setValue makes a row of a text that begins at a position: a JSON object, another JSON value, or plain text.
func (r *Row) setValue(text []byte, at Position) (err error) {
	r.Position, r.Named = at, text[0] == '{'
	switch text[0] {
	case '{':
		r.Fields, err = appendMembers(r.Fields, text, at)
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

// appendMembers appends the members of a JSON object that begins at a position. The last one of several with one name
// would be a guess, so that the decoder refuses them.
func appendMembers(fields []Field, text []byte, at Position) ([]Field, error) {
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
		fields = append(fields, newField(content, begin, value))
	}
	if _, err := members.ReadToken(); err != nil {
		return nil, explain(err)
	}
	if end := members.InputOffset(); len(bytes.TrimSpace(text[end:])) > 0 {
		return nil, &Error{Position: at.after(text[:end]), Reason: "there is more behind the object"}
	}
	return fields, nil
}

// A lineIndex finds the line and column of what a decoder reads through it.
type lineIndex struct {
	from  io.Reader
	read  int64   // bytes
	ends  []int64 // of lines that position has not passed yet
	line  int     // that position has come to
	start int64   // of that line
}

// Read implements io.Reader.
func (l *lineIndex) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	for i, char := range p[:n] {
		if char == '\n' {
			l.ends = append(l.ends, l.read+int64(i)+1)
		}
	}
	l.read += int64(n)
	return n, err
}

// position is the position of an offset. Offsets must not decrease.
func (l *lineIndex) position(offset int64) Position {
	for len(l.ends) > 0 && l.ends[0] <= offset {
		l.line, l.start, l.ends = l.line+1, l.ends[0], l.ends[1:]
	}
	return Position{Line: l.line, Column: int(offset-l.start) + 1}
}
