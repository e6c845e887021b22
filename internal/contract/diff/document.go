package diff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A Document is what is read of an OpenAPI document. A service's own may be of any version and contain anything. Parts
// that are not understood count as absent.
type Document struct {
	root   map[string]any
	text   []byte
	prefix string            // of all paths, before the contract's
	places []place           // sorted by path
	byPath map[string]*place // by method and path, without the names of parameters
	unread []string          // references that lead to nothing in the document
	work   int               // members, words and parameters that were read so far
	// IsForeign reports that the document has none of the published paths: it is that of another API.
	IsForeign bool
}

// Bounds of the work that a document can cause. What lies beyond the first three is not compared.
const (
	maxReferences = 16   // from one reference to the next
	maxText       = 1000 // bytes of a path or an operationId
	maxWork       = 5_000_000
	maxPlaces     = 20_000
	maxValues     = 10 // of a variable of a server
	maxUnread     = 5  // references that are named
)

// A place is an operation of a service.
type place struct {
	method, path, id  string
	query, header     []string // the names of parameters
	request, response *schema  // of JSON bodies; nil means that none is described
}

// A schema is what is compared of a schema, together with the schemas that it combines by allOf.
type schema struct {
	members          map[string]any // as the document has them
	required, values []string       // values are those of an enumeration of texts
	kind             string         // the JSON type; empty if it has none or several
	items            any
	hasChoice        bool // there are alternatives (oneOf, anyOf), whose members are not compared
}

// isOpen reports whether any members are allowed.
func (s *schema) isOpen() bool { return s.hasChoice || len(s.members) == 0 }

// Parse reads an OpenAPI document, or one of Swagger 2.0, in JSON or YAML. It stops when ctx ends.
func Parse(ctx context.Context, text []byte) (*Document, error) {
	d := &Document{text: text}
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
	names := slices.Sorted(maps.Keys(paths))
	d.findPrefix(names)
	d.byPath = map[string]*place{}
	isHidden := func(c rune) bool { return c <= ' ' || c > '~' }
	for _, name := range names {
		path, isBelow := strings.CutPrefix(name, d.prefix)
		if methods := d.object(paths[name]); isBelow && len(path) <= maxText && !strings.ContainsFunc(path, isHidden) {
			for _, method := range []string{"get", "put", "post", "delete", "patch"} {
				if operation := d.object(methods[method]); operation != nil {
					d.places = append(d.places, d.place(strings.ToUpper(method), path, methods["parameters"], operation))
				}
			}
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if len(d.places) > maxPlaces {
			return nil, fmt.Errorf("it has more than %d operations", maxPlaces)
		}
	}
	for i, p := range d.places {
		d.byPath[p.method+" "+bare(p.path)] = &d.places[i]
	}
	return d, nil
}

// findPrefix looks for the published paths, and for what stands before them.
func (d *Document) findPrefix(paths []string) {
	d.IsForeign = true
	for _, op := range contract.Operations {
		for _, path := range paths {
			prefix, isAt := strings.CutSuffix(path, op.Path)
			if isAt && op.Origin == contract.Published && (d.IsForeign || prefix == "") {
				d.prefix, d.IsForeign = prefix, false
			}
		}
	}
}

// Unread lists the references that were met and lead to nothing in the document, each with its line and column.
func (d *Document) Unread() (all []string) {
	references := unique(d.unread)
	for i, reference := range references {
		if i == maxUnread {
			return append(all, fmt.Sprintf("%d more references lead to nothing in the document", len(references)-i))
		}
		why := "leads to nothing"
		if !strings.HasPrefix(reference, "#") {
			why = "leads to another file"
		}
		where := ""
		if at := bytes.Index(d.text, []byte(reference)); at >= 0 {
			before := d.text[:at]
			line, column := 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n')
			where = fmt.Sprintf("line %d, column %d: ", line, column)
		}
		all = append(all, fmt.Sprintf("%s$ref %.200s %s", where, reference, why))
	}
	return all
}

// Servers lists the base URLs that the document names, which may be relative, with each value of their variables.
func (d *Document) Servers() (urls []string) {
	if host, _ := d.root["host"].(string); host != "" { // Swagger 2.0
		base, _ := d.root["basePath"].(string)
		return []string{"https://" + host + base + d.prefix}
	}
	for _, server := range list(d.root["servers"]) {
		o := d.object(server)
		at, _ := o["url"].(string)
		all := []string{at + d.prefix}
		for name, v := range d.object(o["variables"]) {
			values := append(texts(d.object(v)["enum"]), texts([]any{d.object(v)["default"]})...)
			for _, url := range all {
				for _, value := range values[:min(len(values), maxValues)] {
					all = append(all, strings.ReplaceAll(url, "{"+name+"}", value))
				}
			}
		}
		urls = append(urls, slices.DeleteFunc(all, func(url string) bool { return strings.Contains(url, "{") })...)
	}
	return unique(urls)
}

// place reads an operation. Shared are the parameters of all operations of its path.
func (d *Document) place(method, path string, shared any, operation map[string]any) place {
	p := place{method: method, path: path, request: d.body(operation["requestBody"])}
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
			case "body": // Swagger 2.0
				p.request = d.schema(o["schema"])
			}
		}
	}
	responses := d.object(operation["responses"])
	for _, status := range []string{"200", "201", "202", "2XX"} {
		if p.response == nil {
			p.response = d.body(responses[status])
		}
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
	root, _ := valueOf(document.Content[0], map[*yaml.Node]any{}).(map[string]any)
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

// valueOf returns a map[string]any, a []any, a text, or nil for any other scalar. Aliases share the values that are
// known. Merge keys are not read: OpenAPI allows the YAML that JSON has.
func valueOf(n *yaml.Node, known map[*yaml.Node]any) any {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v, isKnown := known[n]; isKnown {
		return v
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		elements := make([]any, len(n.Content))
		known[n] = elements
		for i, element := range n.Content {
			elements[i] = valueOf(element, known)
		}
		return elements
	case n.Kind == yaml.MappingNode:
		object := map[string]any{}
		known[n] = object
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = valueOf(n.Content[i+1], known)
		}
		return object
	case n.ShortTag() == "!!str":
		return n.Value
	}
	return nil
}

// body returns the schema of a JSON body, or nil.
func (d *Document) body(of any) *schema {
	o := d.object(of)
	if o["schema"] != nil { // Swagger 2.0
		return d.schema(o["schema"])
	}
	content := d.object(o["content"])
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if media, _, _ := strings.Cut(name, ";"); strings.HasSuffix(media, "json") || media == "*/*" {
			return d.schema(d.object(content[name])["schema"])
		}
	}
	return nil
}

// object returns an object, or the one to which references within the document lead. Nil means that there is none.
func (d *Document) object(v any) map[string]any {
	for range maxReferences {
		o, isObject := v.(map[string]any)
		reference, isReference := o["$ref"].(string)
		if !isObject || !isReference {
			return o
		}
		pointer, isWithin := strings.CutPrefix(reference, "#")
		if v = d.root; !isWithin {
			v = nil
		}
		if unescaped, err := url.PathUnescape(pointer); err == nil {
			pointer = unescaped
		}
		for token := range jsontext.Pointer(pointer).Tokens() {
			v = child(v, token)
		}
		if v == nil {
			d.unread = append(d.unread, reference)
		}
	}
	return nil
}

// child returns a member of an object or an element of an array. Nil means that there is none.
func child(of any, token string) any {
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(list(of)) {
		return list(of)[i]
	}
	o, _ := of.(map[string]any)
	return o[token]
}

// within returns a schema and those of its members, two levels deep, by their places. A nil schema has none.
func (d *Document) within(s *schema) map[jsontext.Pointer]*schema {
	all := map[jsontext.Pointer]*schema{}
	var add func(s *schema, at jsontext.Pointer, deepest int)
	add = func(s *schema, at jsontext.Pointer, deepest int) {
		all[at] = s
		for name, member := range s.members {
			if deepest > 0 {
				add(d.schema(member), at.AppendToken(name), deepest-1)
			}
		}
	}
	if s != nil {
		add(s, "", 2)
	}
	return all
}

// named lists the members whose names differ from one in case and separators alone. The same name is the only one.
func (s *schema) named(name string) []string {
	if s.members[name] != nil {
		return []string{name}
	}
	return s.where(func(folded string) bool { return folded == payments.FoldMember(name) })
}

// where lists the members whose folded names pass a test.
func (s *schema) where(passes func(folded string) bool) []string {
	isOther := func(name string) bool { return !passes(payments.FoldMember(name)) }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.members)), isOther)
}

// lacks lists those of some members that a schema does not have.
func (s *schema) lacks(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(s.named(name)) > 0 })
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
	if kind, _ := o["type"].(string); s.kind == "" {
		s.kind = kind
	}
	if s.items == nil {
		s.items = o["items"]
	}
	for _, part := range list(o["allOf"]) {
		d.add(s, part, deepest-1)
	}
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
