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

// success is the operation's status when it succeeds.
func (o operation) success() int {
	for status := range o.Responses.Map() {
		if code, err := strconv.Atoi(status); err == nil && code < 300 {
			return code
		}
	}
	return 0
}

func (o operation) goName() string {
	name := strings.ToUpper(o.OperationID[:1]) + o.OperationID[1:]
	return strings.ReplaceAll(name, "Kyc", "KYC")
}

// access says what the operation asks of its caller.
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

// renderOperations writes the table of operations that the router and the client read.
func renderOperations(d *document) ([]byte, error) {
	var b, list bytes.Buffer
	b.WriteString("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage contract\n\n// The operations of the contract.\nvar (\n")
	for _, op := range d.operations() {
		origin, ok := extension[string](op.Extensions, "x-origin")
		if !ok {
			return nil, fmt.Errorf("operation %s has no x-origin", op.OperationID)
		}
		fmt.Fprintf(&b, "// %s: %s.\n", op.goName(), strings.TrimSuffix(op.Summary, "."))
		fmt.Fprintf(&b, "%s = Operation{ID: %q, Method: %q, Path: %q, Access: %s, Success: %d, Origin: %q, Summary: %q,",
			op.goName(), op.OperationID, op.method, op.path, op.access(), op.success(), origin, op.Summary)
		if scope, ok := extension[string](op.Extensions, "x-scope"); ok {
			fmt.Fprintf(&b, "Scope: %q,", scope)
		}
		if op.RequestBody != nil {
			body := op.RequestBody.Value
			fmt.Fprintf(&b, "Body: %s, BodyRequired: %t,", schemaRef(body.Content["application/json"].Schema), body.Required)
			fmt.Fprintf(&b, "Form: %t,", body.Content["application/x-www-form-urlencoded"] != nil)
		}
		writeParameters(&b, op)
		fmt.Fprintf(&b, "Answers: %s", answers(op))
		b.WriteString("}\n")
		fmt.Fprintf(&list, "&%s,\n", op.goName())
	}
	b.WriteString(")\n\n// Operations lists every operation in the order of the document.\nvar Operations = []*Operation{\n")
	b.Write(list.Bytes())
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

func writeParameters(b *bytes.Buffer, op operation) {
	var query strings.Builder
	for _, parameter := range op.parameters {
		p := parameter.Value
		switch {
		case p.In == "query":
			fmt.Fprintf(&query, "{Name: %q, Schema: %s},\n", p.Name, schemaRef(p.Schema))
		case p.Name == "Idempotency-Key":
			b.WriteString("TakesIdempotencyKey: true,")
		case p.Name == "Prefer":
			b.WriteString("TakesPreferWait: true,")
		}
	}
	if query.Len() > 0 {
		fmt.Fprintf(b, "Query: []Member{\n%s},", query.String())
	}
}

// renderJSON writes the document as JSON, for those who ask for it in that form.
func renderJSON(d *document) ([]byte, error) {
	content, err := d.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return append(content, '\n'), nil
}
