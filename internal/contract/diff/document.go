package diff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// A Document is an OpenAPI document as plain JSON: a service's own may be of any version and contain anything.
type Document struct {
	root     map[string]any
	places   []place // sorted by path
	resolved int     // objects so far, see maxResolved
}

// Bounds of the work that a document can cause: its parts may refer to each other in circles. What lies beyond them is
// not compared.
const (
	maxReferences = 16      // from one reference to the next
	maxDepth      = 10      // of nested schemas; the contract has fewer
	maxResolved   = 200_000 // objects of a document; a guess at a profile for a hundred operations needs a tenth
)

// Parse reads an OpenAPI document in JSON or YAML.
func Parse(text []byte) (*Document, error) {
	d := &Document{}
	err := json.Unmarshal(text, &d.root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		var root any
		if err := yaml.Unmarshal(text, &root); err != nil {
			return nil, err
		}
		d.root, _ = withTextNames(root).(map[string]any)
	}
	paths, ok := d.root["paths"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no object paths")
	}
	isHidden := func(c rune) bool { return c <= ' ' || c > '~' }
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := d.object(paths[path])
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			operation, ok := methods[method].(map[string]any)
			if !ok || strings.ContainsFunc(path, isHidden) {
				continue
			}
			p := place{method: strings.ToUpper(method), path: path, operation: operation, words: wordsOf(path)}
			p.id, _ = operation["operationId"].(string)
			common, _ := methods["parameters"].([]any)
			own, _ := operation["parameters"].([]any)
			p.parameters = slices.Concat(common, own)
			d.places = append(d.places, p)
		}
	}
	return d, nil
}

// withTextNames returns a value of YAML with the names of members as JSON has them: a status is a number in YAML.
func withTextNames(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = withTextNames(value)
		}
	case map[any]any:
		members := map[string]any{}
		for name, value := range v {
			members[fmt.Sprint(name)] = withTextNames(value)
		}
		return members
	case []any:
		for i, value := range v {
			v[i] = withTextNames(value)
		}
	}
	return v
}

var parameterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}/]*\}`) })

// withoutNames removes the names of the parameters from a path template.
func withoutNames(where string) string { return parameterName().ReplaceAllString(where, "{}") }

// find returns the operation at a method and path, whatever the names of its parameters.
func (d *Document) find(method, path string) (found place, ok bool) {
	i := slices.IndexFunc(d.places, func(p place) bool { return p.method == method && withoutNames(p.path) == withoutNames(path) })
	if i < 0 {
		return place{}, false
	}
	return d.places[i], true
}

// parameters returns the names of an operation's parameters in the query or the header.
func (d *Document) parameters(p place, in string) (names []string) {
	for _, parameter := range p.parameters {
		o := d.object(parameter)
		if name, ok := o["name"].(string); ok && o["in"] == in {
			names = append(names, name)
		}
	}
	return names
}

// at returns the schema of the member at a JSON Pointer in a schema, or nil.
func (d *Document) at(schema any, pointer string) any {
	for token := range jsontext.Pointer(pointer).Tokens() {
		schema = d.shape(schema, 0).members[token]
	}
	return schema
}

// object follows references within the document until it finds an object, and returns nil when it finds none.
func (d *Document) object(v any) map[string]any {
	for range maxReferences {
		d.resolved++
		o, ok := v.(map[string]any)
		if !ok || d.resolved > maxResolved {
			return nil
		}
		reference, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		pointer, ok := strings.CutPrefix(reference, "#/")
		if !ok {
			return nil
		}
		v = d.root
		for name := range strings.SplitSeq(pointer, "/") {
			o, _ := v.(map[string]any)
			v = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	}
	return nil
}

// requestSchema is the schema of an operation's JSON request body, or nil.
func (d *Document) requestSchema(operation map[string]any) any {
	return d.jsonSchema(d.object(operation["requestBody"]))
}

// responseSchema is the schema of an operation's JSON response with a status, or nil.
func (d *Document) responseSchema(operation map[string]any, status int) any {
	responses, _ := operation["responses"].(map[string]any)
	for _, name := range []string{strconv.Itoa(status), "200", "201", "2XX"} {
		if schema := d.jsonSchema(d.object(responses[name])); schema != nil {
			return schema
		}
	}
	return nil
}

func (d *Document) jsonSchema(of map[string]any) any {
	content, _ := of["content"].(map[string]any)
	if content == nil {
		return of["schema"] // as OpenAPI 2 has it; nil for a body without a schema
	}
	for _, media := range slices.Sorted(maps.Keys(content)) {
		if media, _, _ := strings.Cut(media, ";"); strings.HasSuffix(media, "json") || media == "*/*" {
			return d.object(content[media])["schema"]
		}
	}
	return nil
}

// A shape is what is compared of a schema, together with the schemas that it combines by allOf.
type shape struct {
	members  map[string]any
	required []string
	values   []string // of an enumeration of strings
	items    any
	kind     string
	choice   bool // there are alternatives (oneOf, anyOf), whose members are not compared
	open     bool // any members are allowed: there is a choice, or none are listed
}

// shape returns the shape of a schema. Schemas that are nested too deeply count as open.
func (d *Document) shape(schema any, depth int) shape {
	s := shape{members: map[string]any{}}
	o := d.object(schema)
	if o == nil || depth > maxDepth {
		s.open = true
		return s
	}
	s.choice = o["oneOf"] != nil || o["anyOf"] != nil
	s.items = o["items"]
	s.kind, _ = o["type"].(string)
	s.required, s.values = texts(o["required"]), texts(o["enum"])
	parts, _ := o["allOf"].([]any)
	for _, part := range parts {
		p := d.shape(part, depth+1)
		maps.Copy(s.members, p.members)
		s.required, s.values = append(s.required, p.required...), append(s.values, p.values...)
		s.choice, s.kind = s.choice || p.choice, cmp.Or(s.kind, p.kind)
		if s.items == nil {
			s.items = p.items
		}
	}
	members, _ := o["properties"].(map[string]any)
	maps.Copy(s.members, members)
	s.open = s.choice || len(s.members) == 0
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
