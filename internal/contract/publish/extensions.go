package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// generatorExtensions are the beginnings of the names of extensions for command generate: private names of Go types,
// and the words of messages. Other generators would take the former for theirs.
var generatorExtensions = []string{"x-go-", "x-form", "x-distinguish-absent"}

func removeGeneratorExtensions(document *yaml.Node) error {
	visit(document, func(mapping *yaml.Node) {
		for _, pair := range pairs(mapping) {
			for _, beginning := range generatorExtensions {
				if strings.HasPrefix(pair.key, beginning) {
					remove(mapping, pair.key)
				}
			}
		}
	})
	return nil
}
