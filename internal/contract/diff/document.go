package diff

import (
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
	root       map[string]any
	operations map[string]map[string]any // by method and path, without the names of parameters
	ids        map[string]string         // operationId → method and path
	resolved   int                       // objects so far, see maxResolved
}

// Bounds of the work that a document can cause: its parts may refer to each other in circles. What lies beyond them is
// not compared.
const (
	maxReferences = 16     // from one reference to the next
	maxDepth      = 10     // of nested schemas; the contract has fewer
	maxResolved   = 50_000 // objects of a document; a comparison with the contract itself needs a tenth
)

// Parse reads an OpenAPI document in JSON or YAML.
func Parse(text []byte) (*Document, error) {
	d := &Document{operations: map[string]map[string]any{}, ids: map[string]string{}}
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
		return nil, errors.New("there is no object paths")
	}
	for path, item := range paths {
		methods := d.object(item)
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			operation, ok := methods[method].(map[string]any)
			if !ok {
				continue
			}
			where := strings.ToUpper(method) + " " + path
			d.operations[withoutNames(where)] = operation
			if id, ok := operation["operationId"].(string); ok {
				d.ids[id] = where
			}
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

// Find returns the method and path of the operation with an id. It is empty when there is none, or when the path is not
// printable.
func (d *Document) Find(id string) string {
	where := d.ids[id]
	if strings.ContainsFunc(where, func(c rune) bool { return c < ' ' || c > '~' }) || strings.Count(where, " ") != 1 {
		return ""
	}
	return where
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
	for _, media := range slices.Sorted(maps.Keys(content)) {
		if media == "application/json" || strings.HasPrefix(media, "application/json;") {
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
	s.required, s.values = texts(o["required"]), texts(o["enum"])
	parts, _ := o["allOf"].([]any)
	for _, part := range parts {
		p := d.shape(part, depth+1)
		maps.Copy(s.members, p.members)
		s.required, s.values = append(s.required, p.required...), append(s.values, p.values...)
		s.choice = s.choice || p.choice
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
