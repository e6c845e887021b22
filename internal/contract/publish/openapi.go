package main

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// An openAPI is the root of an OpenAPI document.
type openAPI struct{ root *yaml.Node }

// resolve follows a $ref.
func (d openAPI) resolve(node *yaml.Node) *yaml.Node {
	for ref := get(node, "$ref"); ref != nil; ref = get(node, "$ref") {
		node = get(d.root, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
	}
	return node
}

// An operation is one of the document.
type operation struct {
	id, method, path string
	node             *yaml.Node
}

// operations lists those of the document in its order.
func (d openAPI) operations() (all []operation) {
	for _, path := range pairs(get(d.root, "paths")) {
		for _, method := range pairs(path.value) {
			if id := get(method.value, "operationId"); id != nil {
				all = append(all, operation{id.Value, strings.ToUpper(method.key), path.key, method.value})
			}
		}
	}
	return all
}

// response returns the response of an operation that describes a status, by its number, its range or default; nil: none.
func (d openAPI) response(op operation, status int) *yaml.Node {
	for _, key := range []string{strconv.Itoa(status), strconv.Itoa(status/100) + "XX", "default"} {
		if response := get(op.node, "responses", key); response != nil {
			return d.resolve(response)
		}
	}
	return nil
}

// A use is a parameter of an operation.
type use struct {
	parameter *yaml.Node
	place     **yaml.Node // the element of the operation's list: the parameter, or a reference to it
	name, in  string
	value     *yaml.Node // its example
}

// parameters lists those of an operation. Its path has none since moveParameters.
func (d openAPI) parameters(op operation) (all []use) {
	list := get(op.node, "parameters")
	for i, node := range elements(list) {
		parameter := d.resolve(node)
		all = append(all, use{
			parameter: parameter, place: &list.Content[i],
			name: get(parameter, "name").Value, in: get(parameter, "in").Value,
		})
	}
	return all
}

// security returns the scheme of the credentials that an operation takes: basic, bearer or, if it takes none, "".
func (d openAPI) security(op operation) string {
	list := get(op.node, "security")
	if list == nil {
		list = get(d.root, "security")
	}
	for _, way := range elements(list) {
		for _, scheme := range pairs(way) {
			return get(d.root, "components", "securitySchemes", scheme.key, "scheme").Value
		}
	}
	return ""
}
