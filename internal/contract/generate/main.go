// Command generate derives from the OpenAPI document everything that would repeat it: the wire types, the tables for
// validation and routing (a server never parses the document), the document in JSON, and the page that lists what is
// published and what is assumed. Run it from the project's root.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

const source = "internal/contract/openapi.yaml"

// An output is one generated file.
type output struct {
	path   string
	render func(*document) ([]byte, error)
}

var outputs = []output{
	{"internal/contract/operations.gen.go", renderOperations},
	{"internal/contract/schemas.gen.go", renderSchemas},
	{"internal/contract/openapi.gen.json", renderJSON},
	{"internal/payments/types.gen.go", renderTypes},
	{"docs/CONTRACT.md", renderContractPage},
}

func main() {
	log.SetFlags(0)
	doc, err := load(source)
	if err != nil {
		log.Fatal(err)
	}
	for _, out := range outputs {
		content, err := out.render(doc)
		if err == nil {
			err = os.WriteFile(out.path, content, 0o644)
		}
		if err != nil {
			log.Fatalf("%s: %v", out.path, err)
		}
	}
}

// A document is the OpenAPI document in two forms: resolved, and as YAML nodes, which keep the order of members.
type document struct {
	*openapi3.T
	root *yaml.Node
}

func load(path string) (*document, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil {
		return nil, err
	}
	return &document{T: doc, root: node.Content[0]}, nil
}

// keys returns the keys of the mapping at a path, in the order of the document. An element of a list is named by its number.
func (d *document) keys(path ...string) (keys []string) {
	node := d.root
	for _, name := range path {
		at := slices.IndexFunc(node.Content, func(n *yaml.Node) bool { return n.Value == name }) + 1 // the value of the key
		if node.Kind == yaml.SequenceNode {
			at, _ = strconv.Atoi(name)
		} else if at == 0 {
			return nil
		}
		node = node.Content[at]
	}
	for i := 0; i < len(node.Content); i += 2 {
		keys = append(keys, node.Content[i].Value)
	}
	return keys
}

// renderJSON writes the document in JSON. Members keep their order, since renderers show them in that order.
func renderJSON(d *document) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(jsontext.NewEncoder(&b), d.root)
	return b.Bytes(), err
}

func writeJSON(e *jsontext.Encoder, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		return writeAll(e, jsontext.BeginObject, node.Content, jsontext.EndObject)
	case yaml.SequenceNode:
		return writeAll(e, jsontext.BeginArray, node.Content, jsontext.EndArray)
	case yaml.ScalarNode:
		var value any
		if err := node.Decode(&value); err != nil {
			return err
		}
		return json.MarshalEncode(e, value)
	}
	return fmt.Errorf("line %d: the document may not have anchors and aliases", node.Line)
}

// writeAll writes an object, whose nodes are its names and values in turn, or an array.
func writeAll(e *jsontext.Encoder, begin jsontext.Token, nodes []*yaml.Node, end jsontext.Token) error {
	if err := e.WriteToken(begin); err != nil {
		return err
	}
	for _, node := range nodes {
		if err := writeJSON(e, node); err != nil {
			return err
		}
	}
	return e.WriteToken(end)
}
