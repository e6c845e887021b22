package main

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// renderTypes generates the wire types, with members in the document's order. Members that may be null, and optional
// members whose absence differs from their zero value, are pointers.
func renderTypes(d *document) ([]byte, error) {
	nameTypes(d)
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
	body = bytes.Replace(body, []byte("import (\n"), []byte("import (\n\t\"github.com/go-json-experiment/json/jsontext\"\n"), 1)
	for _, name := range received {
		head := []byte("type " + name + " struct {\n")
		body = bytes.Replace(body, head, append(head, documentField...), 1)
	}
	return append([]byte("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\n"+clause), body...), nil
}

// received are the resources that a client shows as the service sent them, in documentField.
var received = []string{"Account", "KYC", "SavedContact", "Transfer", "Event"}

const documentField = `	// Document is what the service sent; nil where nothing was received.
	Document jsontext.Value ` + "`json:\"-\"`" + `

`

const goText = "string"

// goTypes names the types, written by hand in package payments, of schemas and of members.
var goTypes = map[string]string{
	"Amount": "Decimal", "NullableAmount": "Amount", "RouteReference": "RouteChoice",
	"AccountPatch": "MergePatch", "AddressPatch": "MergePatch", "MetadataPatch": "MergePatch", "SavedContactPatch": "MergePatch",
	"Problem.errors": "FieldErrors", "SandboxSnapshot.world": "SandboxContent",
}

// pointers are members that are pointers although null is not allowed: an empty text or time differs from none, or the
// value is large and often absent, or zero differs from an unknown number.
var pointers = []string{
	"RouteEndpoint.currency", "RouteEndpoint.paymentRail", "RouteEndpoint.provider", "SandboxClockSettings.now",
	"Transfer.depositInstructions", "AvailableEndpoint.decimals",
}

// isText reports whether a component is a string without a type of its own in Go.
func isText(s *openapi3.Schema) bool { return s.Extensions["x-go-type"] == goText }

// nameTypes marks the components with the extension x-go-type of oapi-codegen: those of goTypes, and strings without an
// enumeration.
func nameTypes(d *document) {
	for name, component := range d.Components.Schemas {
		s := component.Value
		if s.Extensions == nil {
			s.Extensions = map[string]any{}
		}
		if goTypes[name] != "" {
			s.Extensions["x-go-type"] = goTypes[name]
		} else if s.Type.Is("string") && len(s.Enum) == 0 {
			s.Extensions["x-go-type"] = goText
		}
	}
}

// memberType returns the x-go-type of a member: as named in goTypes, or text, unless it is a time or has a component of its
// own; empty for no other than the generator's.
func memberType(name string, ref *openapi3.SchemaRef) string {
	s := ref.Value
	switch named := goTypes[name]; {
	case ref.Ref != "" || named == "" && (!s.Type.Is("string") || s.Format == "date-time"):
		return ""
	case named == "" && len(s.AllOf) == 1:
		return cmp.Or(goTypes[refName(s.AllOf[0].Ref)], goText)
	default:
		return cmp.Or(named, goText)
	}
}

// arrange returns a copy of a component schema, the branches of its allOf merged, with the type generator's
// extensions for the order of members and for pointers. A schema that only renames another stays as it is.
func (d *document) arrange(name string, s *openapi3.Schema) *openapi3.Schema {
	if len(s.AllOf) == 1 {
		return s
	}
	merged := *flatten(s)
	merged.Description, merged.Example = withoutMark(s.Description), nil
	merged.Properties = maps.Clone(merged.Properties)
	for order, member := range d.members(s, "components", "schemas", name) {
		ref := merged.Properties[member]
		value := *ref.Value
		value.Extensions = maps.Clone(value.Extensions)
		if value.Extensions == nil {
			value.Extensions = map[string]any{}
		}
		value.Extensions["x-order"] = float64(order + 1)
		if goType := memberType(name+"."+member, ref); goType != "" {
			value.Extensions["x-go-type"] = goType
		}
		value.Description, value.Example = withoutMark(value.Description), nil
		required := slices.Contains(merged.Required, member)
		if slices.Contains(pointers, name+"."+member) {
			value.Nullable = true // only in Go
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

// withoutMark returns a description without the mark of what is published, which is for the readers of the document.
func withoutMark(description string) string { return strings.TrimSuffix(description, " `published`") }

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
// encoded.
func needsPointer(s *openapi3.Schema) bool {
	if len(s.AllOf) == 1 {
		return needsPointer(s.AllOf[0].Value)
	}
	custom, _ := s.Extensions["x-go-type"].(string)
	return len(s.Properties) > 0 || custom != "" && custom != goText && s.Pattern != ""
}
