package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// generatorExtensions are prefixes of the extensions that only command generate reads: names of private Go types, words of
// messages, and pointers. Other generators would take x-go-type for an extension of theirs.
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
