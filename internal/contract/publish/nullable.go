package main

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// repeatNullable lets a schema be null that only adds a description to one that can be: it states the type and nullable
// once more. To a validator that changes nothing, but some generators, such as openapi-zod-client, do not look for them in
// allOf.
func repeatNullable(document *yaml.Node) error {
	d := openAPI{document}
	visit(document, func(schema *yaml.Node) {
		parts := elements(get(schema, "allOf"))
		if len(parts) != 1 {
			return
		}
		target := d.resolve(parts[0])
		nullable := get(target, "nullable")
		if nullable == nil || get(schema, "nullable") != nil {
			return
		}
		schema.Content = slices.Concat(
			[]*yaml.Node{text("type"), clone(get(target, "type")), text("nullable"), clone(nullable)}, schema.Content)
	})
	return nil
}
