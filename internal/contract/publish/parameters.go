package main

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// moveParameters gives the parameters of a path to each of its operations. So an operation can have an example of its own:
// if it had to replace a parameter of its path, swagger-typescript-api would take both.
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
			i := 2 * slices.IndexFunc(pairs(op.value), func(p pair) bool { return p.key == "requestBody" || p.key == "responses" })
			op.value.Content = slices.Insert(op.value.Content, i, text("parameters"), all)
		}
	}
	return nil
}
