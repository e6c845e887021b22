package main

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// renderSchemas writes every schema, and every answer that operations share, as a Go value that needs no work at start-up.
func renderSchemas(d *document) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage contract\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		fmt.Fprintf(&b, "\nvar %s = Schema%s\n", schemaVar(name), schemaBody(flatten(d.Components.Schemas[name].Value)))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Responses)) {
		fmt.Fprintf(&b, "\nvar %s = Response%s\n", responseVar(name), responseBody(d.Components.Responses[name].Value))
	}
	return format.Source(b.Bytes())
}

func schemaVar(name string) string { return "schema" + name }

// refName is the component's name at the end of a $ref.
func refName(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// schemaRef is a Go expression of type *Schema.
func schemaRef(ref *openapi3.SchemaRef) string {
	if ref.Ref != "" {
		return "&" + schemaVar(refName(ref.Ref))
	}
	s := ref.Value
	if len(s.AllOf) == 1 && len(s.Properties) == 0 {
		return schemaRef(s.AllOf[0])
	}
	return "&Schema" + schemaBody(flatten(s))
}

// flatten merges the branches of an allOf into one schema.
func flatten(s *openapi3.Schema) *openapi3.Schema {
	if len(s.AllOf) == 0 {
		return s
	}
	merged := *s
	merged.AllOf = nil
	merged.Properties = maps.Clone(s.Properties)
	if merged.Properties == nil {
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

var kinds = map[string]string{
	"string": "String", "integer": "Integer", "boolean": "Boolean", "array": "Array", "object": "Object",
}

func schemaBody(s *openapi3.Schema) string {
	var b strings.Builder
	b.WriteString("{")
	if s.Type != nil {
		fmt.Fprintf(&b, "Kind: %s,", kinds[s.Type.Slice()[0]])
	}
	if s.Nullable {
		b.WriteString("Nullable: true,")
	}
	if len(s.Enum) > 0 {
		b.WriteString("Enum: []string{")
		for _, value := range s.Enum {
			if text, ok := value.(string); ok {
				fmt.Fprintf(&b, "%q,", text)
			}
		}
		b.WriteString("},")
	}
	writeText(&b, "Pattern", s.Pattern)
	if form, ok := extension[string](s.Extensions, "x-form"); ok {
		writeText(&b, "Form", form)
	}
	writeText(&b, "Format", s.Format)
	writeCount(&b, "MinLength", s.MinLength)
	writeLimit(&b, "MaxLength", s.MaxLength)
	writeCount(&b, "MinItems", s.MinItems)
	writeLimit(&b, "MaxItems", s.MaxItems)
	writeLimit(&b, "MaxProperties", s.MaxProps)
	if s.Min != nil && s.Max != nil {
		fmt.Fprintf(&b, "Bounded: true, Minimum: %d, Maximum: %d,", int64(*s.Min), int64(*s.Max))
	}
	if s.Items != nil {
		fmt.Fprintf(&b, "Items: %s,", schemaRef(s.Items))
	}
	if s.AdditionalProperties.Schema != nil {
		fmt.Fprintf(&b, "Values: %s,", schemaRef(s.AdditionalProperties.Schema))
	}
	if len(s.OneOf) > 0 {
		b.WriteString("OneOf: []*Schema{")
		for _, branch := range s.OneOf {
			fmt.Fprintf(&b, "%s,", schemaRef(branch))
		}
		b.WriteString("},")
	}
	if len(s.Properties) > 0 {
		b.WriteString("Members: []Member{\n")
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			writeMember(&b, s, name)
		}
		b.WriteString("},")
	}
	b.WriteString("}")
	return b.String()
}

func writeMember(b *strings.Builder, s *openapi3.Schema, name string) {
	member := s.Properties[name]
	fmt.Fprintf(b, "{Name: %q, Schema: %s,", name, schemaRef(member))
	if slices.Contains(s.Required, name) {
		b.WriteString("Required: true,")
	}
	if when, ok := extension[map[string]any](member.Value.Extensions, "x-required-when"); ok {
		for other, value := range when {
			fmt.Fprintf(b, "RequiredWhen: &Condition{Member: %q, Value: %q},", other, value)
		}
	}
	b.WriteString("},\n")
}

func writeText(b *strings.Builder, field, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s: %q,", field, value)
	}
}

func writeCount(b *strings.Builder, field string, value uint64) {
	if value > 0 {
		fmt.Fprintf(b, "%s: %d,", field, value)
	}
}

func writeLimit(b *strings.Builder, field string, value *uint64) {
	if value != nil {
		writeCount(b, field, *value)
	}
}
