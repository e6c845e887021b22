package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Report is what validation found.
type Report struct {
	// Errors maps the name of an offending field to its messages; nested fields as selectedSource.currency. It is empty
	// when the value is valid.
	Errors map[string][]string
	// Unknown names the members that the schema does not know.
	Unknown []string

	// answer holds an answer's body to the schema: fields are named by JSON pointers (RFC 6901), and an empty text is not
	// a missing one.
	answer bool
}

// MaxReported is the most fields, and the most unknown members, that a Report names: a body of a megabyte can hold
// hundreds of thousands.
const MaxReported = 1000

func (r *Report) add(field, format string, args ...any) {
	if len(r.Errors) >= MaxReported {
		return
	}
	if r.Errors == nil {
		r.Errors = map[string][]string{}
	}
	r.Errors[field] = append(r.Errors[field], "The "+field+" field "+fmt.Sprintf(format, args...)+".")
}

// A SyntaxError says why a body is not one well-formed JSON value in UTF-8 (RFC 8259), and where. Line and Column count
// from one, Column in bytes.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// WholeBody stands for the field's name where the body itself offends.
const WholeBody = "body"

// Validate checks a JSON body against a schema. All offending fields are reported at once. The error is a *SyntaxError
// when the body is not one well-formed JSON value, has duplicate members, lone surrogates or invalid UTF-8.
func Validate(s *Schema, body []byte) (Report, error) {
	var report Report
	if err := report.whole(s, body); err != nil {
		return Report{}, err
	}
	return report, nil
}

// A reading is a decoder with the body that it reads in place. It is used again: what a decoder remembers names in is much of
// what it costs to make one.
type reading struct {
	*jsontext.Decoder
	body bytes.Buffer
}

var (
	readings = sync.Pool{New: func() any { return &reading{Decoder: jsontext.NewDecoder(nothing)} }}
	nothing  = strings.NewReader("")
)

// whole checks a body that has to be one value.
func (r *Report) whole(s *Schema, body []byte) error {
	d := readings.Get().(*reading)
	defer readings.Put(d)
	d.body = *bytes.NewBuffer(body)
	d.Reset(&d.body)
	defer func() { // lets go of the body
		d.Reset(nothing)
		d.body = bytes.Buffer{}
	}()
	if err := r.value(d.Decoder, s, "", false); err != nil {
		return syntaxError(body, err)
	}
	if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return syntaxErrorAt(body, len(body)-len(rest), "there is more after the end of the value")
	}
	return nil
}

func syntaxError(body []byte, err error) error {
	offset := len(body)
	reason := err.Error()
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntactic):
		offset = min(int(syntactic.ByteOffset), len(body))
		reason = syntactic.Err.Error()
	case errors.Is(err, io.EOF):
		reason = "the body is empty"
	}
	return syntaxErrorAt(body, offset, strings.TrimPrefix(reason, "jsontext: "))
}

func syntaxErrorAt(body []byte, offset int, reason string) error {
	before := body[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	return &SyntaxError{Line: line, Column: offset - bytes.LastIndexByte(before, '\n'), Reason: reason}
}

// value checks the next value of d, the field of that name.
func (r *Report) value(d *jsontext.Decoder, s *Schema, field string, required bool) error {
	name := field
	if name == "" {
		name = WholeBody
	}
	kind := d.PeekKind()
	if kind == 'n' {
		if s.allowsNull() {
			return d.SkipValue()
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
		if required {
			r.add(name, "is required")
		} else {
			r.add(name, "must be %s, not null", s.words())
		}
		return nil
	}
	if len(s.OneOf) > 0 {
		i := slices.IndexFunc(s.OneOf, func(branch *Schema) bool { return branch.Kind.begins(kind) })
		if i < 0 {
			return r.mismatch(d, s, name)
		}
		s = s.OneOf[i]
	}
	if !s.Kind.begins(kind) {
		return r.mismatch(d, s, name)
	}
	switch s.Kind {
	case String:
		return r.text(d, s, name, required)
	case Integer:
		return r.integer(d, s, name)
	case Array:
		return r.array(d, s, name)
	case Object:
		return r.object(d, s, field)
	}
	return d.SkipValue()
}

// begins says whether a value of this kind can begin with a token of that kind. kind is zero at a syntax error, which
// the reading that follows reports.
func (k Kind) begins(kind jsontext.Kind) bool {
	switch kind {
	case 0:
		return true
	case '"':
		return k == String || k == Any
	case '0':
		return k == Integer || k == Any
	case 't', 'f':
		return k == Boolean || k == Any
	case '[':
		return k == Array || k == Any
	case '{':
		return k == Object || k == Any
	}
	return false
}

func (s *Schema) allowsNull() bool {
	return s.Nullable || s.Kind == Any && len(s.OneOf) == 0
}

// words says what the schema allows.
func (s *Schema) words() string {
	if len(s.OneOf) == 0 {
		return s.Kind.String()
	}
	var all []string
	for _, branch := range s.OneOf {
		all = append(all, branch.words())
	}
	return strings.Join(all, " or ")
}

func (r *Report) mismatch(d *jsontext.Decoder, s *Schema, field string) error {
	was := map[jsontext.Kind]string{'"': "a string", '0': "a number", 't': "true", 'f': "false", '[': "an array", '{': "an object"}[d.PeekKind()]
	r.add(field, "must be %s, not %s", s.words(), was)
	return d.SkipValue()
}

// readText reads a string into the room behind b.
func readText(d *jsontext.Decoder, b []byte) ([]byte, error) {
	quoted, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	return jsontext.AppendUnquote(b, quoted)
}

func (r *Report) text(d *jsontext.Decoder, s *Schema, field string, required bool) error {
	var room [64]byte // longer ones need more
	text, err := readText(d, room[:0])
	if err != nil {
		return err
	}
	if required && len(text) == 0 && !r.answer {
		r.add(field, "is required")
		return nil
	}
	r.checkText(s, field, text)
	return nil
}

func (r *Report) integer(d *jsontext.Decoder, s *Schema, field string) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	r.checkInteger(s, field, string(value))
	return nil
}

func (r *Report) array(d *jsontext.Decoder, s *Schema, field string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	count := 0
	for ; d.PeekKind() != ']'; count++ {
		if err := r.value(d, s.Items, r.element(field, count), false); err != nil {
			return err
		}
	}
	switch {
	case count < s.MinItems:
		r.add(field, "must have at least %d element(s)", s.MinItems)
	case s.MaxItems > 0 && count > s.MaxItems:
		r.add(field, "must have at most %d elements", s.MaxItems)
	}
	_, err := d.ReadToken()
	return err
}

func (r *Report) object(d *jsontext.Decoder, s *Schema, prefix string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	seen := make([]bool, len(s.Members))
	var conditions map[string]string // values that a RequiredWhen may ask for
	var room [64]byte                // for a name; longer ones need more
	count := 0
	for ; d.PeekKind() != '}'; count++ {
		given, err := readText(d, room[:0])
		if err != nil {
			return err
		}
		i, known := s.member(given)
		if !known {
			if err := r.unknown(d, s, r.join(prefix, string(given))); err != nil {
				return err
			}
			continue
		}
		seen[i] = true
		name := s.Members[i].Name
		if s.decides(name) && d.PeekKind() == '"' {
			text, err := readText(d, nil)
			if err != nil {
				return err
			}
			conditions = map[string]string{name: string(text)}
			r.checkText(s.Members[i].Schema, r.join(prefix, name), text)
			continue
		}
		if err := r.value(d, s.Members[i].Schema, r.join(prefix, name), s.Members[i].Required); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if s.MaxProperties > 0 && count > s.MaxProperties {
		r.add(prefix, "must have at most %d members", s.MaxProperties)
	}
	for i, member := range s.Members {
		when := member.RequiredWhen
		if !seen[i] && (member.Required || when != nil && conditions[when.Member] == when.Value) {
			r.add(r.join(prefix, member.Name), "is required")
		}
	}
	return nil
}

// member finds a member by its name.
func (s *Schema) member(name []byte) (i int, known bool) {
	return slices.BinarySearchFunc(s.Members, name, func(m Member, name []byte) int {
		switch { // neither comparison copies the name
		case m.Name < string(name):
			return -1
		case m.Name == string(name):
			return 0
		}
		return 1
	})
}

// decides says whether a member's value makes others required.
func (s *Schema) decides(name string) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool { return m.RequiredWhen != nil && m.RequiredWhen.Member == name })
}

func (r *Report) unknown(d *jsontext.Decoder, s *Schema, field string) error {
	if s.Values != nil {
		return r.value(d, s.Values, field, false)
	}
	if len(s.Members) > 0 && len(r.Unknown) < MaxReported {
		r.Unknown = append(r.Unknown, field)
	}
	return d.SkipValue()
}

// join names a member of an object.
func (r *Report) join(prefix, name string) string {
	switch {
	case r.answer:
		return prefix + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1") // RFC 6901 section 3
	case prefix == "":
		return name
	}
	return prefix + "." + name
}

// element names an element of an array.
func (r *Report) element(field string, index int) string {
	if r.answer {
		return field + "/" + strconv.Itoa(index)
	}
	return fmt.Sprintf("%s[%d]", field, index)
}
