package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// An operation is one method of one path, in the order of the document.
type operation struct {
	*openapi3.Operation
	path, method string
	parameters   openapi3.Parameters
}

func (d *document) operations() []operation {
	var all []operation
	for _, path := range d.keys("paths") {
		item := d.Paths.Value(path)
		for _, method := range d.keys("paths", path) {
			if op := item.GetOperation(strings.ToUpper(method)); op != nil {
				all = append(all, operation{op, path, strings.ToUpper(method), slices.Concat(item.Parameters, op.Parameters)})
			}
		}
	}
	return all
}

// success returns the operation's usual status of success: the greatest one, as a request that creates nothing because
// its effect exists gets 200 and not 201.
func (o operation) success() (greatest int) {
	for status := range o.Responses.Map() {
		if code, err := strconv.Atoi(status); err == nil && code < 300 {
			greatest = max(greatest, code)
		}
	}
	return greatest
}

func (o operation) goName() string {
	name := strings.ToUpper(o.OperationID[:1]) + o.OperationID[1:]
	return strings.ReplaceAll(name, "Kyc", "KYC")
}

// access returns the authentication that the operation needs.
func (o operation) access() string {
	switch {
	case o.Security == nil:
		return "Bearer"
	case len(*o.Security) == 0:
		return "Open"
	default:
		return "Basic"
	}
}

// renderOperations generates the table of operations for the router and the client.
func renderOperations(d *document) ([]byte, error) {
	var b, pointers bytes.Buffer
	b.WriteString("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage contract\n\n// The operations of the contract.\nvar (\n")
	for _, op := range d.operations() {
		fmt.Fprintf(&b, "// %s: %s.\n", op.goName(), strings.TrimSuffix(op.Summary, "."))
		b.WriteString(op.goName() + " = Operation{" + literal("ID", op.OperationID) + literal("Method", op.method) +
			literal("Path", op.path) + expression("Access", op.access()) + literal("Success", op.success()) +
			literal("Origin", op.Extensions["x-origin"]) + literal("Summary", op.Summary) +
			literal("Scope", op.Extensions["x-scope"]))
		if op.RequestBody != nil {
			body := op.RequestBody.Value
			media := "application/json"
			if body.Content[media] == nil {
				media = "application/merge-patch+json"
			}
			b.WriteString(expression("Body", schemaRef(body.Content[media].Schema)) + literal("BodyMedia", media) +
				literal("BodyRequired", body.Required) +
				literal("Form", body.Content["application/x-www-form-urlencoded"] != nil))
		}
		b.WriteString(parameters(op) + statusResponses(op) + "}\n")
		fmt.Fprintf(&pointers, "&%s,\n", op.goName())
	}
	b.WriteString(")\n\n// Operations lists every operation in the order of the document.\nvar Operations = []*Operation{\n")
	b.Write(pointers.Bytes())
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// parameters returns the fields of an operation's parameters.
func parameters(op operation) string {
	fields, query := "", []string(nil)
	for _, parameter := range op.parameters {
		p := parameter.Value
		switch {
		case p.In == "query":
			query = append(query, "\n{"+literal("Name", p.Name)+expression("Schema", schemaRef(p.Schema))+"}")
		case p.Name == "Idempotency-Key":
			fields += literal("TakesIdempotencyKey", true)
		case p.Name == "Prefer":
			fields += literal("TakesPreferWait", true)
		}
	}
	return fields + list("Query", "Member", query)
}
