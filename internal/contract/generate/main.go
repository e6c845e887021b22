// Command generate derives from the OpenAPI document everything that would repeat it: the wire types, the tables for
// validation and routing (a server never parses the document), the document in JSON, and the page that lists what is
// published and what is assumed. Run it from the project's root.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/getkin/kin-openapi/openapi3"
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
		if err != nil {
			log.Fatalf("%s: %v", out.path, err)
		}
		if err := os.MkdirAll(filepath.Dir(out.path), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(out.path, content, 0o644); err != nil {
			log.Fatal(err)
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

// keys returns the keys of the mapping at a path, in the order of the document.
func (d *document) keys(path ...string) []string {
	node := d.root
	for _, name := range path {
		if node = child(node, name); node == nil {
			return nil
		}
	}
	var keys []string
	for i := 0; i < len(node.Content); i += 2 {
		keys = append(keys, node.Content[i].Value)
	}
	return keys
}

func child(node *yaml.Node, name string) *yaml.Node {
	if node.Kind == yaml.SequenceNode {
		var index int
		if _, err := fmt.Sscan(name, &index); err != nil || index >= len(node.Content) {
			return nil
		}
		return node.Content[index]
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}
