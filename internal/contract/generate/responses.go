package main

import (
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

func responseVar(name string) string { return "response" + name }

// answers is a Go expression of an operation's answers.
func answers(op operation) string {
	var b strings.Builder
	b.WriteString("[]Answer{\n")
	responses := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		number := strings.TrimSuffix(status, "XX")
		if status == "default" {
			number = "0"
		}
		fmt.Fprintf(&b, "{%s, %s},\n", number, responseRef(responses[status]))
	}
	b.WriteString("},")
	return b.String()
}

// responseRef is a Go expression of type *Response.
func responseRef(ref *openapi3.ResponseRef) string {
	if ref.Ref != "" {
		return "&" + responseVar(refName(ref.Ref))
	}
	return "&Response" + responseBody(ref.Value)
}

func responseBody(r *openapi3.Response) string {
	var b strings.Builder
	b.WriteString("{")
	if len(r.Headers) > 0 {
		b.WriteString("Headers: []Member{\n")
		for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
			header := r.Headers[name].Value
			fmt.Fprintf(&b, "{Name: %q, Schema: %s,", textproto.CanonicalMIMEHeaderKey(name), schemaRef(header.Schema))
			if header.Required {
				b.WriteString("Required: true,")
			}
			b.WriteString("},\n")
		}
		b.WriteString("},")
	}
	if len(r.Content) > 0 {
		b.WriteString("Content: []Media{\n")
		for _, media := range slices.Sorted(maps.Keys(r.Content)) {
			fmt.Fprintf(&b, "{%q, %s},\n", media, schemaRef(r.Content[media].Schema))
		}
		b.WriteString("},")
	}
	b.WriteString("}")
	return b.String()
}
