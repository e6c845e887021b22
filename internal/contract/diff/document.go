package diff

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// A Document is what is read of an OpenAPI document. A service's own may be of any version and contain anything; what is
// not understood counts as absent.
type Document struct {
	root   map[string]any
	places []place // sorted by path
	work   int     // members of schemas that were read so far
}

// Bounds of the work that a document can cause. What lies beyond them is not compared.
const (
	maxReferences = 16 // from one reference to the next
	maxWork       = 5_000_000
)

// A place is an operation of a service.
type place struct {
	method, path, id  string
	words             []string // of the path, without parameters
	query, header     []string // the names of parameters
	request, response *schema  // of JSON bodies; nil: none is described
	rows              *schema  // of the response, where that is a list; nil: it is none
	rowsAt            jsontext.Pointer
}

// A schema is what is compared of a schema, together with the schemas that it combines by allOf.
type schema struct {
	members          map[string]any // as the document has them
	required, values []string       // values are those of an enumeration of texts
	items            any
	hasChoice        bool // there are alternatives (oneOf, anyOf), whose members are not compared
}

// isOpen reports whether any members are allowed.
func (s *schema) isOpen() bool { return s.hasChoice || len(s.members) == 0 }

// Parse reads an OpenAPI document in JSON or YAML.
func Parse(text []byte) (*Document, error) {
	d := &Document{}
	if json.Unmarshal(text, &d.root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		if err := yaml.Unmarshal(text, &d.root); err != nil {
			return nil, err
		}
	}
	paths := d.object(d.root["paths"])
	if paths == nil {
		return nil, errors.New("it has no object paths")
	}
	isHidden := func(c rune) bool { return c <= ' ' || c > '~' }
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := d.object(paths[path])
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			operation := d.object(methods[method])
			if operation == nil || strings.ContainsFunc(path, isHidden) {
				continue
			}
			p := place{method: strings.ToUpper(method), path: path, words: wordsOf(path), request: d.body(operation["requestBody"])}
			p.id, _ = operation["operationId"].(string)
			for _, parameter := range slices.Concat(list(methods["parameters"]), list(operation["parameters"])) {
				o := d.object(parameter)
				switch name, _ := o["name"].(string); o["in"] {
				case "query":
					p.query = append(p.query, name)
				case "header":
					p.header = append(p.header, name)
				}
			}
			responses := d.object(operation["responses"])
			for _, status := range []string{"200", "201", "202", "2XX"} {
				if p.response == nil {
					p.response = d.body(responses[status])
				}
			}
			if p.response != nil {
				p.rowsAt, p.rows = d.rows(p.response, "", 2) // as in {"result": {"items": []}}
			}
			d.places = append(d.places, p)
		}
	}
	return d, nil
}

// body returns the schema of a JSON body, or nil.
func (d *Document) body(of any) *schema {
	content := d.object(d.object(of)["content"])
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if media, _, _ := strings.Cut(name, ";"); strings.HasSuffix(media, "json") || media == "*/*" {
			return d.schema(d.object(content[name])["schema"])
		}
	}
	return nil
}

// object returns an object, or the one to which references within the document lead; nil if there is none.
func (d *Document) object(v any) map[string]any {
	for range maxReferences {
		o, isObject := v.(map[string]any)
		if numbered, ok := v.(map[any]any); ok { // YAML has numbers as names, such as a status
			o, isObject = map[string]any{}, true
			for name, value := range numbered {
				o[fmt.Sprint(name)] = value
			}
		}
		reference, isReference := o["$ref"].(string)
		if !isObject || !isReference {
			return o
		}
		pointer, isWithin := strings.CutPrefix(reference, "#")
		if v = d.root; !isWithin {
			return nil
		}
		for token := range jsontext.Pointer(pointer).Tokens() {
			o, _ := v.(map[string]any)
			v = o[token]
		}
	}
	return nil
}

// schema reads a schema. Of one that is none, nothing is known.
func (d *Document) schema(v any) *schema {
	s := &schema{members: map[string]any{}}
	d.add(s, v, maxReferences)
	return s
}

// add adds to a schema what is not there yet, and what that combines by allOf, so many levels deep.
func (d *Document) add(s *schema, v any, deepest int) {
	o := d.object(v)
	members := d.object(o["properties"])
	if d.work += 1 + len(members); d.work > maxWork || deepest == 0 {
		return
	}
	for name, member := range members {
		if _, isThere := s.members[name]; !isThere {
			s.members[name] = member
		}
	}
	s.required, s.values = append(s.required, texts(o["required"])...), append(s.values, texts(o["enum"])...)
	s.hasChoice = s.hasChoice || o["oneOf"] != nil || o["anyOf"] != nil
	if s.items == nil {
		s.items = o["items"]
	}
	for _, part := range list(o["allOf"]) {
		d.add(s, part, deepest-1)
	}
}

// rows looks for an array of objects, and returns its place, which is below the one of the schema, and their schema.
func (d *Document) rows(s *schema, at jsontext.Pointer, deepest int) (jsontext.Pointer, *schema) {
	if items := d.schema(s.items); len(items.members) > 0 {
		return at, items
	}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		if deepest > 0 {
			if pointer, rows := d.rows(d.schema(s.members[name]), at.AppendToken(name), deepest-1); rows != nil {
				return pointer, rows
			}
		}
	}
	return "", nil
}

func list(v any) []any {
	elements, _ := v.([]any)
	return elements
}

func texts(v any) (found []string) {
	for _, element := range list(v) {
		if text, ok := element.(string); ok {
			found = append(found, text)
		}
	}
	return found
}
