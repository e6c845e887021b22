package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// A field is one -f or -F flag. Their order on the command line is that in which arrays are filled.
type field struct {
	text  string
	typed bool
}

type fieldFlags []field

// adder is the flag value that adds fields.
func (f *fieldFlags) adder(typed bool) *fieldAdder { return &fieldAdder{to: f, typed: typed} }

type fieldAdder struct {
	to    *fieldFlags
	typed bool
	last  string
}

// String implements pflag.Value.
func (a *fieldAdder) String() string { return a.last }

// Type implements pflag.Value.
func (*fieldAdder) Type() string { return "field" }

// Set implements pflag.Value.
func (a *fieldAdder) Set(text string) error {
	if _, _, _, err := splitField(text); err != nil {
		return err
	}
	*a.to = append(*a.to, field{text, a.typed})
	a.last = text
	return nil
}

var errFieldForm = errors.New("a field is written name=value, name[member]=value or name[]=value")

// splitField splits a[b][]=value into its steps, of which an empty one is an element of an array, and its value.
func splitField(text string) (steps []string, value string, hasValue bool, err error) {
	name, value, hasValue := strings.Cut(text, "=")
	first, rest, nested := strings.Cut(name, "[")
	steps = []string{first}
	if first == "" || strings.Contains(first, "]") {
		return nil, "", false, errFieldForm
	}
	for nested {
		step, after, closed := strings.Cut(rest, "]")
		if !closed || strings.Contains(step, "[") || after != "" && after[0] != '[' {
			return nil, "", false, errFieldForm
		}
		if step == "" && steps[len(steps)-1] == "" {
			return nil, "", false, errors.New("an array directly inside an array cannot be written as fields; use --input")
		}
		steps = append(steps, step)
		rest = strings.TrimPrefix(after, "[")
		nested = after != ""
	}
	if !hasValue && steps[len(steps)-1] != "" {
		return nil, "", false, errFieldForm
	}
	return steps, value, hasValue, nil
}

// An object holds what fields say: strings, jsontext.Value for what is typed, *array and object.
type object map[string]any

// An array is a pointer so that an element can be added in place.
type array struct{ elements []any }

// MarshalJSON implements json.Marshaler.
func (a *array) MarshalJSON() ([]byte, error) {
	if a.elements == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(a.elements, json.Deterministic(true))
}

// read puts all fields into one object.
func (f fieldFlags) read(in *reader) (object, error) {
	root := object{}
	for _, one := range f {
		steps, text, hasValue, err := splitField(one.text)
		if err != nil {
			return nil, cmdutil.Usage("the field %q: %v", one.text, err)
		}
		var value any = text
		if one.typed && hasValue {
			if value, err = typedValue(in, text); err != nil {
				return nil, err
			}
		}
		if !hasValue {
			value = nil
		}
		if err := root.put(steps, value, hasValue); err != nil {
			return nil, cmdutil.Usage("the field %q: %v", one.text, err)
		}
	}
	return root, nil
}

// put sets the value that steps lead to. Without a value, the last step is an array that stays empty.
func (o object) put(steps []string, value any, hasValue bool) error {
	name, rest := steps[0], steps[1:]
	there, exists := o[name]
	switch {
	case len(rest) == 0:
		if exists {
			return fmt.Errorf("%s is given twice", name)
		}
		o[name] = value
		return nil
	case rest[0] == "":
		list, isArray := there.(*array)
		if exists && !isArray {
			return fmt.Errorf("%s is an array here and something else before", name)
		}
		if list == nil {
			list = &array{}
			o[name] = list
		}
		return list.add(rest[1:], value, hasValue)
	}
	member, isObject := there.(object)
	if exists && !isObject {
		return fmt.Errorf("%s is an object here and something else before", name)
	}
	if member == nil {
		member = object{}
		o[name] = member
	}
	return member.put(rest, value, hasValue)
}

// add adds an element. Members go to the last object of the array, until one is given that it has: that begins the next.
func (a *array) add(steps []string, value any, hasValue bool) error {
	if len(steps) == 0 {
		if hasValue {
			a.elements = append(a.elements, value)
		}
		return nil
	}
	if n := len(a.elements); n > 0 {
		if last, ok := a.elements[n-1].(object); ok && !last.has(steps) {
			return last.put(steps, value, hasValue)
		}
	}
	next := object{}
	a.elements = append(a.elements, next)
	return next.put(steps, value, hasValue)
}

// has reports whether the member at a path is set already. An array element counts as not set, because an array always
// accepts another one.
func (o object) has(steps []string) bool {
	there, exists := o[steps[0]]
	if !exists || len(steps) == 1 {
		return exists
	}
	member, isObject := there.(object)
	return isObject && member.has(steps[1:])
}

// typedValue reads the value of -F. Only whole numbers become numbers: a decimal would lose what its writer meant by
// 12.50 in whatever reads it as binary floating point, and amounts of this API are strings.
func typedValue(in *reader, text string) (any, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		content, err := in.content(name, in.deps.Content)
		return string(content), err
	}
	switch {
	case text == "true", text == "false", text == "null", isWhole(text):
		return jsontext.Value(text), nil
	}
	return text, nil
}

// isWhole reports whether a text is a JSON number without fraction and exponent, whose digits can be sent unchanged.
func isWhole(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && (digits == "0" || digits[0] != '0') && text != "-0"
}

// body is the JSON body.
func (o object) body() ([]byte, error) {
	text, err := json.Marshal(o, json.Deterministic(true))
	if err != nil {
		return nil, cmdutil.Usage("the fields are not UTF-8, which JSON is written in: %v", err)
	}
	return text, nil
}

// query is the fields as a query: an array is its name repeated.
func (o object) query() (map[string][]string, error) {
	query := map[string][]string{}
	for name, value := range o {
		elements := []any{value}
		if list, ok := value.(*array); ok {
			elements = list.elements
		}
		for _, element := range elements {
			switch element := element.(type) {
			case string:
				query[name] = append(query[name], element)
			case jsontext.Value:
				query[name] = append(query[name], string(element))
			default:
				return nil, cmdutil.Usage("the field %s is an object, which a query has no form for", name)
			}
		}
	}
	return query, nil
}

// maxInput is the most bytes that are read of one file or of standard input.
const maxInput = 64 << 20

// A reader reads what the command line refers to.
type reader struct {
	ctx   context.Context //nolint:containedctx // of the command that reads
	deps  *cmdutil.Deps
	stdin bool // was read
}

// content is a file's, or standard input's with the name -, as a function of [cmdutil.Deps] reads it.
func (r *reader) content(
	name string, read func(ctx context.Context, path string, most int64) ([]byte, error),
) ([]byte, error) {
	switch {
	case name == "":
		return nil, cmdutil.Usage("a file's name is missing")
	case name == "-" && r.stdin:
		return nil, cmdutil.Usage("standard input can be read once only")
	}
	r.stdin = r.stdin || name == "-"
	return read(r.ctx, name, maxInput)
}
