// Command generate derives files from the OpenAPI document: the wire types, the tables for validation and routing, the
// document in JSON, and the page about published and assumed parts. Run it from the project's root.
package main

import (
	"cmp"
	"log"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"
)

const source = "internal/contract/openapi.yaml"

// outputs are the generated files.
var outputs = map[string]func(*document) ([]byte, error){
	"internal/contract/tables.gen.go":    renderTables,
	"internal/contract/openapi.gen.json": renderJSON,
	"internal/payments/types.gen.go":     renderTypes,
	"docs/CONTRACT.md":                   renderContractPage,
}

// A document is the OpenAPI document, raw and with its references resolved.
type document struct {
	*openapi3.T
	raw []byte
}

func main() {
	log.SetFlags(0)
	doc, err := load(source)
	if err != nil {
		log.Fatal(err)
	}
	for path, render := range outputs {
		content, err := render(doc)
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

func load(path string) (*document, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true // the order of the document is that of its lines
	doc, err := loader.LoadFromData(raw)
	if err == nil {
		err = doc.Validate(loader.Context)
	}
	return &document{doc, raw}, err
}

// renderJSON writes the document in JSON. Members keep their order for renderers.
func renderJSON(d *document) ([]byte, error) {
	var node yaml.Node
	err := yaml.Unmarshal(d.raw, &node)
	return appendJSON(nil, &node), err
}

// appendJSON appends the value of a node, which must not be an alias.
func appendJSON(text []byte, node *yaml.Node) []byte {
	ends, separators := "[]", ",,"
	switch node.Kind {
	case yaml.DocumentNode:
		return appendJSON(text, node.Content[0])
	case yaml.ScalarNode:
		var value any
		_ = node.Decode(&value) // a scalar is a value
		encoded, _ := json.Marshal(value)
		return append(text, encoded...)
	case yaml.MappingNode: // names and values in turn
		ends, separators = "{}", ",:"
	}
	text = append(text, ends[0])
	for i, child := range node.Content {
		if i > 0 {
			text = append(text, separators[i%2])
		}
		text = appendJSON(text, child)
	}
	return append(text, ends[1])
}

// An operation is one method of one path.
type operation struct {
	*openapi3.Operation
	path, method string
	parameters   openapi3.Parameters
}

// operations lists the operations in the order of the document.
func (d *document) operations() (all []operation) {
	for path, item := range d.Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, operation{op, path, method, slices.Concat(item.Parameters, op.Parameters)})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return cmp.Compare(a.Origin.Key.Line, b.Origin.Key.Line) })
	return all
}

// success returns the operation's usual status of success. It is the greatest one: a creation whose effect exists gets
// 200 and not 201.
func (o operation) success() (greatest int) {
	for status := range o.Responses.Map() {
		if code, err := strconv.Atoi(status); err == nil && code < 300 {
			greatest = max(greatest, code)
		}
	}
	return greatest
}

// text returns the text of an extension; empty without it.
func (o operation) text(extension string) string {
	text, _ := o.Extensions[extension].(string)
	return text
}

// refName returns the component's name at the end of a $ref.
func refName(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// flatten merges the branches of an allOf into one schema.
func flatten(s *openapi3.Schema) *openapi3.Schema {
	if len(s.AllOf) == 0 {
		return s
	}
	merged := *s
	merged.AllOf = nil
	if merged.Properties = maps.Clone(s.Properties); merged.Properties == nil {
		merged.Properties = openapi3.Schemas{}
	}
	for _, branch := range s.AllOf {
		part := flatten(branch.Value)
		if merged.Type == nil {
			merged.Type = part.Type
		}
		merged.Required = append(slices.Clone(merged.Required), part.Required...)
		maps.Copy(merged.Properties, part.Properties)
	}
	return &merged
}
