package main

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"net/textproto"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// renderSchemas generates every schema, and every shared response, as a Go value that costs nothing at start-up.
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

// refName returns the component's name at the end of a $ref.
func refName(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// schemaRef returns a Go expression of type *Schema; empty for nil.
func schemaRef(ref *openapi3.SchemaRef) string {
	if ref == nil {
		return ""
	}
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
	var kind, bounds, format string
	names, _ := s.Extensions["x-propertyNames"].(map[string]any)
	if s.Type != nil {
		kind = kinds[s.Type.Slice()[0]]
	}
	if s.Type.Is("string") {
		format = s.Format
	}
	if s.Min != nil && s.Max != nil {
		bounds = fmt.Sprintf("Bounded: true, Minimum: %d, Maximum: %d,", int64(*s.Min), int64(*s.Max))
	}
	var values, branches, members []string
	for _, value := range s.Enum {
		if text, ok := value.(string); ok {
			values = append(values, strconv.Quote(text))
		}
	}
	for _, branch := range s.OneOf {
		branches = append(branches, schemaRef(branch))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		members = append(members, "\n"+memberBody(s, name))
	}
	return "{" + expression("Kind", kind) + literal("Nullable", s.Nullable) + list("Enum", "string", values) +
		literal("Pattern", s.Pattern) + literal("Format", format) +
		literal("MinLength", s.MinLength) + literal("MaxLength", s.MaxLength) +
		literal("MinItems", s.MinItems) + literal("MaxItems", s.MaxItems) +
		literal("MaxProperties", s.MaxProps) + literal("MaxNameLength", names["maxLength"]) + bounds +
		expression("Items", schemaRef(s.Items)) + expression("Values", schemaRef(s.AdditionalProperties.Schema)) +
		list("OneOf", "*Schema", branches) + list("Members", "Member", members) + "}"
}

func memberBody(s *openapi3.Schema, name string) string {
	member, condition := s.Properties[name], ""
	if when, ok := member.Value.Extensions["x-required-when"].(map[string]any); ok {
		for other, value := range when {
			condition = fmt.Sprintf("&Condition{Member: %q, Value: %q}", other, value)
		}
	}
	return "{" + literal("Name", name) + expression("Schema", schemaRef(member)) +
		literal("Required", slices.Contains(s.Required, name)) + expression("RequiredWhen", condition) + "}"
}

func responseVar(name string) string { return "response" + name }

// statusResponses returns the field of an operation's responses.
func statusResponses(op operation) string {
	var all []string
	responses := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		number := strings.TrimSuffix(status, "XX")
		if status == "default" {
			number = "0"
		}
		all = append(all, "\n{"+number+", "+responseRef(responses[status])+"}")
	}
	return list("Responses", "StatusResponse", all)
}

// responseRef returns a Go expression of type *Response.
func responseRef(ref *openapi3.ResponseRef) string {
	if ref.Ref != "" {
		return "&" + responseVar(refName(ref.Ref))
	}
	return "&Response" + responseBody(ref.Value)
}

func responseBody(r *openapi3.Response) string {
	var headers, content []string
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		header := r.Headers[name].Value
		headers = append(headers, "\n{"+literal("Name", textproto.CanonicalMIMEHeaderKey(name))+
			expression("Schema", schemaRef(header.Schema))+literal("Required", header.Required)+"}")
	}
	for _, media := range slices.Sorted(maps.Keys(r.Content)) {
		content = append(content, fmt.Sprintf("\n{%q, %s}", media, schemaRef(r.Content[media].Schema)))
	}
	return "{" + list("Headers", "Member", headers) + list("Content", "Media", content) + "}"
}

// expression returns a field of a composite literal with the value of a Go expression; empty without one.
func expression(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + value + ","
}

// literal returns a field of a composite literal; empty for nil and zero, as the field then has its value anyway.
func literal(name string, value any) string {
	v := reflect.Indirect(reflect.ValueOf(value))
	switch {
	case !v.IsValid() || v.IsZero():
		return ""
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%s: %q,", name, v)
	}
	return fmt.Sprintf("%s: %v,", name, v)
}

// list returns a field of a composite literal that is a slice, given its elements as Go expressions; empty without any.
func list(name, of string, elements []string) string {
	if len(elements) == 0 {
		return ""
	}
	end := ""
	if elements[0][0] == '\n' { // each element has a line of its own
		end = "\n"
	}
	return name + ": []" + of + "{" + strings.Join(elements, ",") + "," + end + "},"
}
