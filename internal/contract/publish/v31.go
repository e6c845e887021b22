package main

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// convertTo31 changes an OpenAPI 3.0 document to 3.1, in which schemas are those of JSON Schema 2020-12. It converts the
// keywords of 3.0 that the source uses, and fails on those that it would have to convert too. It sets no jsonSchemaDialect,
// which would only repeat the default: Prism validates nothing where it finds one.
func convertTo31(document *yaml.Node) error {
	set(document, "openapi", text("3.1.0"))
	license := get(document, "info", "license")
	set(license, "identifier", text(get(license, "name").Value)) // its name is that of the SPDX list
	remove(license, "url")                                       // excluded by an identifier
	var failure error
	visitSchemas(document, func(schema *yaml.Node) {
		if err := convertSchemaTo31(schema); err != nil && failure == nil {
			failure = err
		}
	})
	return failure
}

func convertSchemaTo31(schema *yaml.Node) error {
	for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		if node := get(schema, keyword); node != nil {
			return fmt.Errorf("line %d: %s is a number in OpenAPI 3.1; let convertTo31 make one", node.Line, keyword)
		}
	}
	if nullable := get(schema, "nullable"); nullable != nil {
		kind := get(schema, "type")
		if kind == nil || nullable.Value != "true" {
			return fmt.Errorf("line %d: nullable has an effect only if it is true and beside a type", nullable.Line)
		}
		set(schema, "type", list(kind, text("null")))
		remove(schema, "nullable")
	}
	if names := get(schema, "x-propertyNames"); names != nil { // 3.0 has no such keyword
		set(schema, "propertyNames", names)
		remove(schema, "x-propertyNames")
	}
	if example := get(schema, "example"); example != nil {
		set(schema, "examples", list(example))
		remove(schema, "example")
	}
	if format := get(schema, "format"); format != nil && format.Value == "byte" {
		set(schema, "contentEncoding", text("base64"))
		remove(schema, "format")
	}
	return nil
}

// visitSchemas calls fn for every schema of a document, the outer ones first. It skips examples, whose members may have
// the names of keywords.
func visitSchemas(node *yaml.Node, fn func(schema *yaml.Node)) {
	for _, member := range pairs(node) {
		switch member.key {
		case "schema":
			visitSchema(member.value, fn)
		case "schemas":
			for _, schema := range pairs(member.value) {
				visitSchema(schema.value, fn)
			}
		case "example", "examples":
		default:
			visitSchemas(member.value, fn)
		}
	}
	if node.Kind == yaml.SequenceNode {
		for _, element := range node.Content {
			visitSchemas(element, fn)
		}
	}
}

func visitSchema(schema *yaml.Node, fn func(schema *yaml.Node)) {
	fn(schema)
	for _, member := range pairs(schema) {
		switch member.key {
		case "properties":
			for _, property := range pairs(member.value) {
				visitSchema(property.value, fn)
			}
		case "allOf", "anyOf", "oneOf":
			for _, part := range member.value.Content {
				visitSchema(part, fn)
			}
		case "items", "additionalProperties", "not":
			visitSchema(member.value, fn)
		}
	}
}
