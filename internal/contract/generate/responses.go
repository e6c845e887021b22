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
