package main

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// moveParameters moves the parameters of each path to its operations, so that an operation can have an example of its own.
// If an operation replaced a parameter of its path for that, swagger-typescript-api would use both.
func moveParameters(document *yaml.Node) error {
	for _, path := range pairs(get(document, "paths")) {
		shared := get(path.value, "parameters")
		if shared == nil {
			continue
		}
		remove(path.value, "parameters")
		for _, op := range pairs(path.value) {
			all := clone(shared)
			if own := get(op.value, "parameters"); own != nil {
				all.Content = append(all.Content, own.Content...)
				remove(op.value, "parameters")
			}
			next := slices.IndexFunc(pairs(op.value), func(p pair) bool {
				return p.key == "requestBody" || p.key == "responses"
			})
			op.value.Content = slices.Insert(op.value.Content, 2*next, text("parameters"), all)
		}
	}
	return nil
}
