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
	root    map[string]any
	places  []place            // sorted by path
	schemas map[string]*schema // by their references, which may lead in circles
	members int                // of all schemas so far
}

// Bounds of the work that a document can cause. What lies beyond them is not compared.
const (
	maxReferences = 16      // from one reference to the next
	maxMembers    = 500_000 // of all schemas, those included that schemas have by allOf
)

// A place is an operation of a service.
type place struct {
	method, path, id  string
	words             []string // of the path, without parameters
	query, header     []string // the names of parameters
	request, response *schema  // of JSON bodies; nil: none is described
}

// A schema is what is compared of a schema, together with the schemas that it combines by allOf.
type schema struct {
	members          map[string]*schema
	required, values []string // values are those of an enumeration of texts
	items            *schema
	hasChoice        bool // there are alternatives (oneOf, anyOf), whose members are not compared
}

// isOpen reports whether any members are allowed.
func (s *schema) isOpen() bool { return s.hasChoice || len(s.members) == 0 }

// at returns the schema of the member at a JSON Pointer, or nil.
func (s *schema) at(pointer string) *schema {
	for token := range jsontext.Pointer(pointer).Tokens() {
		if s = s.members[token]; s == nil {
			break
		}
	}
	return s
}

// Parse reads an OpenAPI document in JSON or YAML.
func Parse(text []byte) (*Document, error) {
	d := &Document{schemas: map[string]*schema{}}
	if json.Unmarshal(text, &d.root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		if err := yaml.Unmarshal(text, &d.root); err != nil {
			return nil, err
		}
	}
	paths, ok := d.root["paths"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no object paths")
	}
	isHidden := func(c rune) bool { return c <= ' ' || c > '~' }
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods, _ := d.object(paths[path])
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			operation, ok := methods[method].(map[string]any)
			if !ok || strings.ContainsFunc(path, isHidden) {
				continue
			}
			p := place{method: strings.ToUpper(method), path: path, words: wordsOf(path)}
			p.id, _ = operation["operationId"].(string)
			for _, parameters := range []any{methods["parameters"], operation["parameters"]} {
				list, _ := parameters.([]any)
				for _, parameter := range list {
					o, _ := d.object(parameter)
					name, _ := o["name"].(string)
					switch o["in"] {
					case "query":
						p.query = append(p.query, name)
					case "header":
						p.header = append(p.header, name)
					}
				}
			}
			p.request = d.body(operation["requestBody"])
			responses, _ := d.object(operation["responses"])
			for _, status := range []string{"200", "201", "202", "2XX"} {
				if p.response == nil {
					p.response = d.body(responses[status])
				}
			}
			d.places = append(d.places, p)
		}
	}
	return d, nil
}

// body returns the schema of a JSON body, or nil.
func (d *Document) body(of any) *schema {
	o, _ := d.object(of)
	content, _ := o["content"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if media, _, _ := strings.Cut(name, ";"); strings.HasSuffix(media, "json") || media == "*/*" {
			o, _ = d.object(content[name])
			return d.schema(o["schema"])
		}
	}
	return nil
}

// object returns an object, or the one to which references within the document lead, with the last of them; nil if there is
// none.
func (d *Document) object(v any) (o map[string]any, reference string) {
	for range maxReferences {
		switch v := v.(type) {
		case map[string]any:
			o = v
		case map[any]any: // YAML has numbers as names, such as a status
			o = map[string]any{}
			for name, value := range v {
				o[fmt.Sprint(name)] = value
			}
		default:
			return nil, ""
		}
		next, isReference := o["$ref"].(string)
		if !isReference {
			return o, reference
		}
		pointer, isWithin := strings.CutPrefix(next, "#")
		if !isWithin {
			return nil, ""
		}
		reference, v = next, d.root
		for token := range jsontext.Pointer(pointer).Tokens() {
			o, _ := v.(map[string]any)
			v = o[token]
		}
	}
	return nil, ""
}

// schema reads a schema. Of one that is none, nothing is known.
func (d *Document) schema(v any) *schema {
	o, reference := d.object(v)
	if known := d.schemas[reference]; known != nil {
		return known
	}
	s := &schema{members: map[string]*schema{}, required: texts(o["required"]), values: texts(o["enum"])}
	if reference != "" {
		d.schemas[reference] = s
	}
	s.hasChoice = o["oneOf"] != nil || o["anyOf"] != nil
	members, _ := o["properties"].(map[string]any)
	if d.members += 1 + len(members); d.members > maxMembers {
		return s
	}
	parts, _ := o["allOf"].([]any)
	for _, part := range parts {
		p := d.schema(part)
		if d.members += len(p.members) + len(p.required) + len(p.values); d.members > maxMembers {
			return s
		}
		maps.Copy(s.members, p.members)
		s.required, s.values = append(s.required, p.required...), append(s.values, p.values...)
		s.items, s.hasChoice = p.items, s.hasChoice || p.hasChoice
	}
	for name, member := range members {
		s.members[name] = d.schema(member)
	}
	if items := o["items"]; items != nil {
		s.items = d.schema(items)
	}
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
