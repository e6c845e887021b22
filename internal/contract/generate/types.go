package main

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// renderTypes generates the wire types, with members in the document's order. Members that may be null, and optional
// members whose absence differs from their zero value, are pointers.
func renderTypes(d *document) ([]byte, error) {
	schemas := openapi3.Schemas{}
	for name, schema := range d.Components.Schemas {
		if !isText(schema.Value) {
			schemas[name] = &openapi3.SchemaRef{Value: d.arrange(name, schema.Value)}
		}
	}
	code, err := codegen.Generate(&openapi3.T{
		OpenAPI:    d.OpenAPI,
		Info:       d.Info,
		Paths:      openapi3.NewPaths(),
		Components: &openapi3.Components{Schemas: schemas},
	}, codegen.Configuration{
		PackageName: "payments",
		Generate:    codegen.GenerateOptions{Models: true},
		OutputOptions: codegen.OutputOptions{
			SkipPrune:                             true,
			NameNormalizer:                        "ToCamelCaseWithInitialisms",
			AdditionalInitialisms:                 []string{"KYC", "IBAN", "BIC", "CLABE", "PIX"},
			PreferSkipOptionalPointer:             true,
			PreferSkipOptionalPointerWithOmitzero: true,
		},
		Compatibility: codegen.CompatibilityOptions{AlwaysPrefixEnumValues: true},
	})
	if err != nil {
		return nil, err
	}
	// The library's header names this module's version, which changes with every build.
	const clause = "package payments"
	_, body, _ := bytes.Cut([]byte(code), []byte(clause))
	return append([]byte("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\n"+clause), body...), nil
}

const goText = "string"

// isText reports whether the extension x-go-type makes a component a string, so that it gets no type of its own in Go.
func isText(s *openapi3.Schema) bool { return s.Extensions["x-go-type"] == goText }

// arrange returns a copy of a component schema, the branches of its allOf merged, with the type generator's
// extensions for the order of members and for pointers. A schema that only renames another stays as it is.
func (d *document) arrange(name string, s *openapi3.Schema) *openapi3.Schema {
	if len(s.AllOf) == 1 {
		return s
	}
	merged := *flatten(s)
	merged.Properties = maps.Clone(merged.Properties)
	for order, member := range d.members(s, "components", "schemas", name) {
		ref := merged.Properties[member]
		value := *ref.Value
		value.Extensions = maps.Clone(value.Extensions)
		if value.Extensions == nil {
			value.Extensions = map[string]any{}
		}
		value.Extensions["x-order"] = float64(order + 1)
		required := slices.Contains(merged.Required, member)
		if marked, _ := value.Extensions["x-go-pointer"].(bool); marked {
			value.Nullable = true // only in Go: the value is large and often unknown
		}
		if len(value.AllOf) == 1 && isText(value.AllOf[0].Value) {
			value.Extensions["x-go-type"] = goText
		}
		if value.Type.Is("integer") {
			value.Format = "" // which tells other generators the size; Go has int
		}
		if nullable(&value) || !required && needsPointer(&value) {
			value.Extensions["x-go-type-skip-optional-pointer"] = false
			// Omit nil, but not an empty value.
			value.Extensions["x-omitempty"], value.Extensions["x-omitzero"] = false, !required
		}
		name := ref.Ref
		if isText(ref.Value) {
			name = ""
		}
		merged.Properties[member] = &openapi3.SchemaRef{Ref: name, Value: &value}
	}
	return &merged
}

// members returns the names of a schema's members, with those of its allOf branches, in the order of the document.
func (d *document) members(s *openapi3.Schema, path ...string) []string {
	names := d.keys(append(slices.Clone(path), "properties")...)
	for i, branch := range s.AllOf {
		at := append(slices.Clone(path), "allOf", strconv.Itoa(i))
		if branch.Ref != "" {
			at = []string{"components", "schemas", refName(branch.Ref)}
		}
		names = append(names, d.members(branch.Value, at...)...)
	}
	return names
}

func nullable(s *openapi3.Schema) bool {
	return s.Nullable || len(s.AllOf) == 1 && nullable(s.AllOf[0].Value)
}

// needsPointer reports whether an optional member has to be a pointer: structs and amounts, whose zero value would be
// encoded, and members that the document marks because an empty string differs from none.
func needsPointer(s *openapi3.Schema) bool {
	if len(s.AllOf) == 1 {
		return needsPointer(s.AllOf[0].Value)
	}
	if marked, ok := s.Extensions["x-distinguish-absent"].(bool); ok {
		return marked
	}
	custom, _ := s.Extensions["x-go-type"].(string)
	return len(s.Properties) > 0 || custom != "" && custom != goText && s.Pattern != ""
}
