package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Report is the result of a validation.
type Report struct {
	// Errors maps the name of an invalid field to its messages. A nested field is named selectedSource.currency. It is
	// empty if the value is valid.
	Errors map[string][]string
	// Unknown names the members that the schema does not have.
	Unknown []string

	isResponse bool // an empty string does not count as missing in a response
}

// MaxReported is the most fields, and the most unknown members, in a Report. A body of a megabyte can have hundreds of
// thousands.
const MaxReported = 1000

// MaxName is how many bytes of a member's name are repeated. A body of a megabyte can be a single name.
const MaxName = 200

// Shorten returns a text, or its beginning and an ellipsis if it is longer than most bytes.
func Shorten(text string, most int) string {
	const ellipsis = "…"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(ellipsis)], "") + ellipsis
}

func (r *Report) add(field, format string, args ...any) {
	if len(r.Errors) >= MaxReported {
		return
	}
	if r.Errors == nil {
		r.Errors = map[string][]string{}
	}
	r.Errors[field] = append(r.Errors[field], "The "+field+" field "+fmt.Sprintf(format, args...)+".")
}

// A SyntaxError says where and why a body is not one well-formed JSON value in UTF-8 (RFC 8259). Line and Column count
// from one, Column in bytes.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// WholeBody is the field name for an error of the body itself.
const WholeBody = "body"

// Validate checks a JSON body against a schema and reports all invalid fields. The error is a *SyntaxError if the body
// is not one well-formed JSON value, or has duplicate members, lone surrogates or invalid UTF-8.
func Validate(s *Schema, body []byte) (Report, error) {
	var report Report
	if err := report.validateBody(s, body, ""); err != nil {
		return Report{}, err
	}
	return report, nil
}

// validateBody checks that a body at a field is exactly one valid value.
func (r *Report) validateBody(s *Schema, body []byte, field string) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(body)) // it reads a buffer in place
	if err := r.validateValue(d, s, field, false); err != nil {
		return syntaxError(body, err)
	}
	if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return syntaxErrorAt(body, len(body)-len(rest), "there is more text after the end of the value")
	}
	return nil
}

func syntaxError(body []byte, err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // no value
		return syntaxErrorAt(body, len(body), "the body is empty")
	}
	if utf16 := bytes.IndexByte(body[:min(len(body), 2)], 0) >= 0; utf16 || bytes.HasPrefix(body, []byte("\xff\xfe")) ||
		bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return syntaxErrorAt(body, 0, "the text is UTF-16; send UTF-8")
	}
	offset := min(int(syntactic.ByteOffset), len(body))
	return syntaxErrorAt(body, offset, syntaxReason(syntactic, body[offset:]))
}

// syntaxReason describes what is wrong with JSON. The words of the library are for programmers, and change.
func syntaxReason(err *jsontext.SyntacticError, rest []byte) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || len(rest) == 0:
		return "the text ends within the value"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("the object has another member %.100q", err.JSONPointer.LastToken())
	case strings.Contains(err.Err.Error(), "UTF-8"):
		return "the text is not UTF-8"
	case strings.Contains(err.Err.Error(), "surrogate"):
		return "the escape is half of a surrogate pair"
	case strings.Contains(err.Err.Error(), "max depth"):
		return "the value is nested deeper than 10000 levels"
	case bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")):
		return "the text begins with a byte order mark"
	}
	character, _ := utf8.DecodeRune(rest)
	return fmt.Sprintf("the character %q cannot stand here", string(character))
}

func syntaxErrorAt(body []byte, offset int, reason string) error {
	before := body[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	return &SyntaxError{Line: line, Column: offset - bytes.LastIndexByte(before, '\n'), Reason: reason}
}

// validateValue checks the next value of d, which belongs to the field.
func (r *Report) validateValue(d *jsontext.Decoder, s *Schema, field string, required bool) error {
	name := field
	if name == "" {
		name = WholeBody
	}
	kind := d.PeekKind()
	accepts := func(one *Schema) bool { return one.Type.accepts(kind) }
	i := slices.IndexFunc(s.OneOf, accepts)
	switch {
	case kind == 'n' && s.allowsNull():
		return d.SkipValue()
	case kind == 'n' && required:
		r.add(name, "is required")
		return d.SkipValue()
	case len(s.OneOf) == 0 && !accepts(s), len(s.OneOf) > 0 && i < 0:
		r.add(name, "must be %s, not %s", s.description(), tokens[kind].words)
		return d.SkipValue()
	case i >= 0:
		s = s.OneOf[i]
	}
	switch s.Type {
	case String:
		return r.validateText(d, s, name, required)
	case Integer:
		value, err := d.ReadValue()
		if err == nil {
			r.checkInteger(s, name, string(value))
		}
		return err
	case Array:
		return r.validateArray(d, s, name)
	case Object:
		return r.validateObject(d, s, field)
	}
	return d.SkipValue()
}

// tokens are the kinds of value by the kind of their first token, and their names.
var tokens = map[jsontext.Kind]struct {
	JSONType
	words string
}{
	'"': {String, "a string"}, '0': {Integer, "a number"}, 't': {Boolean, "true"}, 'f': {Boolean, "false"},
	'[': {Array, "an array"}, '{': {Object, "an object"}, 'n': {null, "null"},
}

// accepts reports whether a value of this kind can begin with a token. The kind is zero at a syntax error: the next
// read reports it.
func (t JSONType) accepts(kind jsontext.Kind) bool {
	return kind == 0 || t == Any || t == tokens[kind].JSONType
}

func (s *Schema) allowsNull() bool {
	return s.Nullable || s.Type == Any && len(s.OneOf) == 0
}

// description returns what the schema allows, in words.
func (s *Schema) description() string {
	if len(s.OneOf) == 0 {
		return s.Type.String()
	}
	var all []string
	for _, branch := range s.OneOf {
		all = append(all, branch.description())
	}
	return strings.Join(all, " or ")
}

// readText returns the next string. It is valid until the next read: most strings are not copied.
func readText(d *jsontext.Decoder) ([]byte, error) {
	quoted, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	return jsontext.AppendUnquote(nil, quoted)
}

func (r *Report) validateText(d *jsontext.Decoder, s *Schema, field string, required bool) error {
	text, err := readText(d)
	if err != nil {
		return err
	}
	if required && len(text) == 0 && !r.isResponse {
		r.add(field, "is required")
		return nil
	}
	r.checkText(s, field, text)
	return nil
}

func (r *Report) validateArray(d *jsontext.Decoder, s *Schema, field string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	count := 0
	for ; d.PeekKind() != ']'; count++ {
		if err := r.validateValue(d, s.Items, fmt.Sprintf("%s[%d]", field, count), false); err != nil {
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

func (r *Report) validateObject(d *jsontext.Decoder, s *Schema, prefix string) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var room [32]bool // avoids an allocation for most objects
	seen := append(room[:0], make([]bool, len(s.Members))...)
	var conditions map[string]string // values that a RequiredWhen may need
	count := 0
	for ; d.PeekKind() != '}'; count++ {
		given, err := readText(d)
		if err != nil {
			return err
		}
		i, known := s.member(given)
		if !known {
			if s.MaxNameLength > 0 && utf8.RuneCount(given) > s.MaxNameLength {
				r.add(memberName(prefix, string(given)), "must have a name of at most %d characters", s.MaxNameLength)
			}
			if err := r.validateUnknown(d, s, memberName(prefix, string(given))); err != nil {
				return err
			}
			continue
		}
		seen[i] = true
		name := s.Members[i].Name
		if s.isCondition(name) && d.PeekKind() == '"' {
			text, err := readText(d)
			if err != nil {
				return err
			}
			conditions = map[string]string{name: string(text)}
			r.checkText(s.Members[i].Schema, memberName(prefix, name), text)
			continue
		}
		if err := r.validateValue(d, s.Members[i].Schema, memberName(prefix, name), s.Members[i].Required); err != nil {
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
			r.add(memberName(prefix, member.Name), "is required")
		}
	}
	return nil
}

// member returns the index of the member with a name.
func (s *Schema) member(name []byte) (i int, known bool) {
	return slices.BinarySearchFunc(s.Members, name, func(m Member, name []byte) int {
		switch { // the conversions do not copy the name
		case m.Name < string(name):
			return -1
		case m.Name == string(name):
			return 0
		}
		return 1
	})
}

// isCondition reports whether a member's value can make another member required.
func (s *Schema) isCondition(name string) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool {
		return m.RequiredWhen != nil &&
			m.RequiredWhen.Member == name
	})
}

func (r *Report) validateUnknown(d *jsontext.Decoder, s *Schema, field string) error {
	if s.Values != nil {
		return r.validateValue(d, s.Values, field, false)
	}
	if len(s.Members) > 0 && len(r.Unknown) < MaxReported {
		r.Unknown = append(r.Unknown, field)
	}
	return d.SkipValue()
}

// memberName returns the name of an object's member.
func memberName(prefix, name string) string {
	if name = Shorten(name, MaxName); prefix == "" {
		return name
	}
	return prefix + "." + name
}
