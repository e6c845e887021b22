// Command publish makes the OpenAPI documents that the service serves from openapi.yaml, which is written by hand: without
// the extensions of command generate, with examples that it records from the service, and with visible origins. The order
// of the source stays. Run it from the project's root after command generate, since the service that it starts needs the
// generated tables.
package main

import (
	"log"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

const (
	source = "internal/contract/openapi.yaml"
	folder = "internal/contract/served"
)

// steps change the document, one after the other, to the one that is served.
var steps = []func(document *yaml.Node) error{
	removeGeneratorExtensions,
	moveParameters,
	addExamples,
	showOrigins,
}

// outputs are the files of the served document. Since convert changes the document itself, an output with one comes last.
var outputs = []struct {
	name    string
	convert func(document *yaml.Node) error
	encode  func(document *yaml.Node) ([]byte, error)
}{
	{"openapi.yaml", nil, encodeYAML},
	{"openapi.json", nil, encodeJSON},
	{"openapi-3.1.yaml", convertTo31, encodeYAML},
}

func main() {
	log.SetFlags(0)
	raw, err := os.ReadFile(source)
	if err != nil {
		log.Fatal(err)
	}
	var file yaml.Node
	if err := yaml.Unmarshal(raw, &file); err != nil {
		log.Fatalf("%s: %v", source, err)
	}
	document := file.Content[0]
	for _, step := range steps {
		if err := step(document); err != nil {
			log.Fatalf("%s: %v", source, err)
		}
	}
	for _, out := range outputs {
		if out.convert != nil {
			if err := out.convert(document); err != nil {
				log.Fatalf("%s: %v", source, err)
			}
		}
		content, err := out.encode(document)
		if err != nil {
			log.Fatalf("%s: %v", out.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, out.name), content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
