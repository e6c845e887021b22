package doctor

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A document is an OpenAPI document as plain JSON: a service's own may be of any version and hold anything.
type document struct {
	root       map[string]any
	operations map[string]map[string]any // by method and path without the names of parameters
	ids        map[string]string         // operationId → method and path
	collected  int                       // schemas so far
}

var errNoDocument = errors.New("no OpenAPI document")

func parse(text []byte) (*document, error) {
	d := &document{operations: map[string]map[string]any{}, ids: map[string]string{}}
	if err := json.Unmarshal(text, &d.root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	paths, ok := d.root["paths"].(map[string]any)
	if !ok {
		return nil, errNoDocument
	}
	for path, item := range paths {
		methods := d.object(item)
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			operation, ok := methods[method].(map[string]any)
			if !ok {
				continue
			}
			// Parameters of the path item hold for each of its operations.
			if shared, ok := methods["parameters"].([]any); ok {
				operation = maps.Clone(operation)
				own, _ := operation["parameters"].([]any)
				operation["parameters"] = slices.Concat(shared, own)
			}
			where := strings.ToUpper(method) + " " + path
			d.operations[nameless(where)] = operation
			if id, ok := operation["operationId"].(string); ok {
				d.ids[id] = where
			}
		}
	}
	return d, nil
}

// nameless takes out of a path template what its parameters are called.
func nameless(where string) string { return parameter().ReplaceAllString(where, "{}") }

func parameter() *regexp.Regexp { return regexp.MustCompile(`\{[^{}/]*\}`) }

func (d *document) operation(method, path string) map[string]any {
	return d.operations[nameless(method+" "+path)]
}

// withID is the method and path of the operation with an id; empty when there is none, or when it is no method and path.
func (d *document) withID(id string) string {
	where := d.ids[id]
	if strings.ContainsFunc(where, func(c rune) bool { return c < ' ' || c > '~' }) || strings.Count(where, " ") != 1 {
		return ""
	}
	return where
}

// longestChain is how many references are followed to one thing.
const longestChain = 16

// object follows references within the document until it comes to an object; nil when it does not.
func (d *document) object(v any) map[string]any {
	for range longestChain {
		o, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		reference, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		if v = d.at(reference); v == nil {
			return nil
		}
	}
	return nil
}

// at finds what a reference such as #/components/schemas/Account names.
func (d *document) at(reference string) any {
	pointer, ok := strings.CutPrefix(reference, "#/")
	if !ok {
		return nil
	}
	var v any = d.root
	for name := range strings.SplitSeq(pointer, "/") {
		o, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return v
}

// A shape is what is compared of a schema: its own and that of every part that holds together with it.
type shape struct {
	members  map[string]any
	required []string
	values   []string // of an enumeration of strings
	items    any
	open     bool // a lack of members leaves open what there is
	choice   bool // there are alternatives, whose members are among the members and not among the required ones
}

// mostCollected bounds the work that a document can make: parts may refer to each other in ways that multiply.
const mostCollected = 50_000

// shape collects a schema. Parts that are nested too deeply are left out.
func (d *document) shape(schema any, depth int) (s shape) {
	s.members = map[string]any{}
	o := d.object(schema)
	if d.collected++; o == nil || depth > longestChain || d.collected > mostCollected {
		s.open = true
		return s
	}
	if parts, ok := o["allOf"].([]any); ok {
		for _, part := range parts {
			p := d.shape(part, depth+1)
			maps.Copy(s.members, p.members)
			s.required = append(s.required, p.required...)
			s.values = append(s.values, p.values...)
			s.choice = s.choice || p.choice
			if s.items == nil {
				s.items = p.items
			}
		}
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		alternatives, _ := o[word].([]any)
		for _, alternative := range alternatives {
			s.choice = true
			maps.Copy(s.members, d.shape(alternative, depth+1).members)
		}
	}
	members, _ := o["properties"].(map[string]any)
	maps.Copy(s.members, members)
	s.required = append(s.required, texts(o["required"])...)
	s.values = append(s.values, texts(o["enum"])...)
	if s.items == nil {
		s.items = o["items"]
	}
	s.open = len(s.members) == 0
	return s
}

func texts(v any) (found []string) {
	list, _ := v.([]any)
	for _, element := range list {
		if text, ok := element.(string); ok {
			found = append(found, text)
		}
	}
	return found
}
