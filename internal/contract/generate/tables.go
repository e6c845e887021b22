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

	"github.com/payctl/payctl/internal/contract"
)

// Tables are the values of package contract for the document.
type tables struct {
	schemas   map[string]*contract.Schema // of the document's components, by name
	responses map[string]*contract.Response
	names     map[any]string // the Go names of these, and of constants
}

// renderTables generates every operation, schema and shared response as a Go value that costs nothing at start-up.
func renderTables(d *document) ([]byte, error) {
	t := tables{map[string]*contract.Schema{}, map[string]*contract.Response{}, map[any]string{
		contract.String: "String", contract.Integer: "Integer", contract.Boolean: "Boolean", contract.Array: "Array",
		contract.Object: "Object", contract.Basic: "Basic", contract.Bearer: "Bearer",
	}}
	for name := range d.Components.Schemas {
		t.schemas[name] = &contract.Schema{}
		t.names[t.schemas[name]] = "schema" + name
	}
	for name := range d.Components.Responses {
		t.responses[name] = &contract.Response{}
		t.names[t.responses[name]] = "response" + name
	}
	var b, pointers bytes.Buffer
	b.WriteString("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage contract\n\n// The " +
		"operations of the contract.\nvar (\n")
	for _, op := range d.operations() {
		name := strings.ReplaceAll(strings.ToUpper(op.OperationID[:1])+op.OperationID[1:], "Kyc", "KYC")
		fmt.Fprintf(&b, "// %s: %s.\n%s = %s\n", name, strings.TrimSuffix(op.Summary, "."), name,
			t.literal(reflect.ValueOf(t.operation(op))))
		fmt.Fprintf(&pointers, "&%s,\n", name)
	}
	fmt.Fprintf(&b, ")\n\n// Operations lists every operation in the order of the document.\nvar Operations = "+
		"[]*Operation{\n%s}\n", &pointers)
	for _, name := range slices.Sorted(maps.Keys(t.schemas)) {
		fmt.Fprintf(&b, "\nvar schema%s = %s\n", name, t.literal(reflect.ValueOf(*t.whole(d.Components.Schemas[name].Value))))
	}
	for _, name := range slices.Sorted(maps.Keys(t.responses)) {
		fmt.Fprintf(&b, "\nvar response%s = %s\n", name,
			t.literal(reflect.ValueOf(*t.response(&openapi3.ResponseRef{Value: d.Components.Responses[name].Value}))))
	}
	return format.Source(b.Bytes())
}

// literal returns a value as a Go expression, without zero fields. A value with a name becomes the name.
func (t tables) literal(v reflect.Value) string {
	text := v.Type().Name()
	switch v.Kind() {
	case reflect.Pointer:
		if name := t.names[v.Interface()]; name != "" {
			return "&" + name
		}
		return "&" + t.literal(v.Elem())
	case reflect.Struct:
		text += "{"
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				text += v.Type().Field(i).Name + ": " + t.literal(f) + ","
			}
		}
		return text + "}"
	case reflect.Slice:
		text = strings.ReplaceAll(v.Type().String(), "contract.", "") + "{"
		for i := range v.Len() {
			element := t.literal(v.Index(i))
			if v.Index(i).Kind() == reflect.Struct {
				element = "\n" + strings.TrimPrefix(element, v.Type().Elem().Name())
			}
			text += element + ","
		}
		return text + "}"
	case reflect.Uint8:
		return t.names[v.Interface()]
	}
	return fmt.Sprintf("%#v", v)
}

func (t tables) operation(op operation) contract.Operation {
	made := contract.Operation{
		ID: op.OperationID, Method: op.method, Path: op.path, Access: access(op), Scope: op.text("x-scope"),
		Success: op.success(), Origin: op.text("x-origin"), Summary: op.Summary,
	}
	if op.RequestBody != nil {
		body := op.RequestBody.Value
		if made.BodyMedia = "application/json"; body.Content[made.BodyMedia] == nil {
			made.BodyMedia = "application/merge-patch+json"
		}
		made.Body, made.BodyRequired = t.schema(body.Content[made.BodyMedia].Schema), body.Required
		made.Form = body.Content["application/x-www-form-urlencoded"] != nil
	}
	for _, parameter := range op.parameters {
		switch p := parameter.Value; {
		case p.In == "query":
			made.Query = append(made.Query, contract.Member{Name: p.Name, Schema: t.schema(p.Schema)})
		case p.Name == "Idempotency-Key":
			made.TakesIdempotencyKey = true
		case p.Name == "Prefer":
			made.TakesPreferWait = true
		}
	}
	responses := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		number, _ := strconv.Atoi(strings.TrimSuffix(status, "XX")) // zero for the default
		made.Responses = append(made.Responses, contract.StatusResponse{Status: number,
			Response: t.response(responses[status])})
	}
	return made
}

// access returns the authentication that an operation needs.
func access(op operation) contract.Access {
	switch {
	case op.Security == nil:
		return contract.Bearer
	case len(*op.Security) == 0:
		return contract.Open
	}
	return contract.Basic
}

func (t tables) response(ref *openapi3.ResponseRef) *contract.Response {
	if ref.Ref != "" {
		return t.responses[refName(ref.Ref)]
	}
	made := &contract.Response{}
	for _, name := range slices.Sorted(maps.Keys(ref.Value.Headers)) {
		header := ref.Value.Headers[name].Value
		made.Headers = append(made.Headers, contract.Member{
			Name: textproto.CanonicalMIMEHeaderKey(name), Schema: t.schema(header.Schema), Required: header.Required,
		})
	}
	for _, media := range slices.Sorted(maps.Keys(ref.Value.Content)) {
		made.Content = append(made.Content, contract.Media{Type: media, Schema: t.schema(ref.Value.Content[media].Schema)})
	}
	return made
}

var kinds = map[string]contract.JSONType{
	"string": contract.String, "integer": contract.Integer, "boolean": contract.Boolean, "array": contract.Array,
	"object": contract.Object,
}

func (t tables) schema(ref *openapi3.SchemaRef) *contract.Schema {
	switch {
	case ref == nil:
		return nil
	case ref.Ref != "":
		return t.schemas[refName(ref.Ref)]
	case len(ref.Value.AllOf) == 1 && len(ref.Value.Properties) == 0:
		return t.schema(ref.Value.AllOf[0])
	}
	return t.whole(ref.Value)
}

// whole returns a schema with its allOf branches.
func (t tables) whole(s *openapi3.Schema) *contract.Schema {
	s = flatten(s)
	made := &contract.Schema{
		Nullable: s.Nullable, Pattern: s.Pattern, MinLength: int(s.MinLength), MaxLength: most(s.MaxLength),
		MinItems: int(s.MinItems), MaxItems: most(s.MaxItems), MaxProperties: most(s.MaxProps),
		Items: t.schema(s.Items), Values: t.schema(s.AdditionalProperties.Schema),
	}
	if names, ok := s.Extensions["x-propertyNames"].(map[string]any); ok {
		made.MaxNameLength = int(names["maxLength"].(float64))
	}
	if s.Type != nil {
		made.Type = kinds[s.Type.Slice()[0]]
	}
	if made.Type == contract.String {
		made.Format = s.Format
	}
	if s.Min != nil && s.Max != nil {
		made.Bounded, made.Minimum, made.Maximum = true, int64(*s.Min), int64(*s.Max)
	}
	for _, value := range s.Enum {
		if text, ok := value.(string); ok {
			made.Enum = append(made.Enum, text)
		}
	}
	for _, branch := range s.OneOf {
		made.OneOf = append(made.OneOf, t.schema(branch))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		m := contract.Member{Name: name, Schema: t.schema(s.Properties[name]), Required: slices.Contains(s.Required, name)}
		when, _ := s.Properties[name].Value.Extensions["x-required-when"].(map[string]any)
		for other, value := range when {
			m.RequiredWhen = &contract.Condition{Member: other, Value: fmt.Sprint(value)}
		}
		made.Members = append(made.Members, m)
	}
	return made
}

// most returns a limit, or zero.
func most(limit *uint64) int {
	if limit == nil {
		return 0
	}
	return int(*limit)
}
