package diff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	work   int     // members, words and parameters that were read so far
}

// Bounds of the work that a document can cause. What lies beyond the first three is not compared.
const (
	maxReferences = 16   // from one reference to the next
	maxText       = 1000 // bytes of a path or an operationId
	maxWork       = 5_000_000
	maxNames      = 1_000_000 // in the mappings of a YAML document
	maxPlaces     = 20_000
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

// Parse reads an OpenAPI document in JSON or YAML. It stops when ctx ends.
func Parse(ctx context.Context, text []byte) (*Document, error) {
	d := &Document{}
	if json.Unmarshal(text, &d.root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		var err error
		if d.root, err = readYAML(ctx, text); err != nil {
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
			if operation == nil || len(path) > maxText || strings.ContainsFunc(path, isHidden) {
				continue
			}
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case len(d.places) == maxPlaces:
				return nil, fmt.Errorf("it has more than %d operations", maxPlaces)
			}
			d.places = append(d.places, d.place(strings.ToUpper(method), path, methods["parameters"], operation))
		}
	}
	return d, nil
}

// place reads an operation. Shared are the parameters of all operations of its path.
func (d *Document) place(method, path string, shared any, operation map[string]any) place {
	p := place{method: method, path: path, words: wordsOf(path), request: d.body(operation["requestBody"])}
	if id, _ := operation["operationId"].(string); len(id) <= maxText {
		p.id = id
	}
	for _, parameters := range [][]any{list(shared), list(operation["parameters"])} {
		if d.work += len(parameters); d.work > maxWork {
			break
		}
		for _, parameter := range parameters {
			o := d.object(parameter)
			switch name, _ := o["name"].(string); o["in"] {
			case "query":
				p.query = append(p.query, name)
			case "header":
				p.header = append(p.header, name)
			}
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
	return p
}

// readYAML returns the mapping of a YAML document.
func readYAML(ctx context.Context, text []byte) (map[string]any, error) {
	var document yaml.Node
	err := yaml.NewDecoder(untilDone{ctx, bytes.NewReader(text)}).Decode(&document)
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return nil, err
	}
	r := nodeReader{known: map[*yaml.Node]any{}}
	root, _ := r.value(document.Content[0]).(map[string]any)
	if r.names > maxNames {
		return nil, fmt.Errorf("its mappings have more than %d names", maxNames)
	}
	return root, nil
}

// untilDone is a reader that fails when ctx has ended. The YAML parser reads as it goes.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	return r.Reader.Read(p)
}

// A nodeReader makes the values that JSON has for YAML nodes.
type nodeReader struct {
	known map[*yaml.Node]any // mappings and sequences, which aliases share
	names int                // read so far
}

// value returns a map[string]any, a []any, a string, or nil for any other scalar.
func (r *nodeReader) value(n *yaml.Node) any {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v, isKnown := r.known[n]; isKnown {
		return v
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		elements := make([]any, len(n.Content))
		r.known[n] = elements
		for i, element := range n.Content {
			elements[i] = r.value(element)
		}
		return elements
	case n.Kind == yaml.MappingNode:
		object := map[string]any{}
		r.known[n] = object
		for i := 0; i+1 < len(n.Content) && r.names <= maxNames; i += 2 {
			r.names++
			name, value := n.Content[i], r.value(n.Content[i+1])
			if name.ShortTag() != "!!merge" {
				object[name.Value] = value
				continue
			}
			for _, source := range append(list(value), value) { // one mapping, or a list of them
				r.merge(object, source)
			}
		}
		return object
	case n.ShortTag() == "!!str":
		return n.Value
	}
	return nil
}

// merge adds the members of a source that an object does not have.
func (r *nodeReader) merge(object map[string]any, source any) {
	members, _ := source.(map[string]any)
	for name, value := range members {
		if r.names++; r.names > maxNames {
			return
		}
		if _, isThere := object[name]; !isThere {
			object[name] = value
		}
	}
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
	if d.work += 1 + len(members) + len(list(o["required"])) + len(list(o["enum"])); d.work > maxWork || deepest == 0 {
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
