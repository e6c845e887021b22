package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addExamples gives every parameter, request body, response, header and schema of the document an example. The values are
// those of the requests in examples.yaml and of the service's responses to them.
func addExamples(document *yaml.Node) error {
	list, err := readRequests(requestsFile)
	if err == nil {
		err = openAPI{document}.addExamples(list)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", requestsFile, err)
	}
	return nil
}

func (d openAPI) addExamples(list requestList) error {
	exchanges, err := record(d, list)
	if err != nil {
		return err
	}
	e := examples{
		openAPI: d, defaults: list.Defaults, values: map[*yaml.Node]*yaml.Node{}, lacking: map[*yaml.Node]bool{},
	}
	for _, x := range exchanges {
		e.learn(x)
	}
	for _, op := range d.operations() {
		e.addToOperation(op, exchanges)
	}
	e.addToParameters()
	e.addToHeaders()
	e.addToSchemas()
	if len(e.missing) > 0 {
		return fmt.Errorf("there is no value for these, add requests that show them:\n%s", strings.Join(e.missing, "\n"))
	}
	return nil
}

// examples are the values that the recorded exchanges have for the parts of a document.
type examples struct {
	openAPI
	defaults map[string]yaml.Node
	values   map[*yaml.Node]*yaml.Node // by schema or header
	uses     []use                     // the parameters of all operations that have a value
	lacking  map[*yaml.Node]bool       // the parts without a value
	missing  []string                  // the same, in words
}

// lacks records, once for each part of the document, that it has no value.
func (e *examples) lacks(part *yaml.Node, format string, args ...any) {
	if !e.lacking[part] {
		e.lacking[part] = true
		e.missing = append(e.missing, fmt.Sprintf(format, args...))
	}
}

// learn records the values of an exchange. An earlier exchange takes precedence.
func (e *examples) learn(x *exchange) {
	if x.sent != nil && x.status < 400 {
		for _, media := range pairs(get(e.resolve(get(x.operation.node, "requestBody")), "content")) {
			e.learnValue(get(media.value, "schema"), x.sent)
		}
	}
	response := e.response(x.operation, x.status)
	if x.received != nil {
		e.learnValue(get(response, "content", x.media, "schema"), x.received)
	}
	for _, header := range pairs(get(response, "headers")) {
		node := e.resolve(header.value)
		if value := x.header.Get(header.key); value != "" && e.values[node] == nil {
			e.values[node] = text(value)
			if get(node, "schema", "type").Value == "integer" {
				e.values[node].Tag = "!!int"
			}
		}
	}
}

// learnValue records a value for a schema, and the values within it for the schemas below, if they are more informative
// than what is recorded already.
func (e *examples) learnValue(schema, value *yaml.Node) {
	if schema = e.resolve(schema); schema == nil {
		return
	}
	if informative(value) > informative(e.values[schema]) {
		e.values[schema] = value
	}
	for _, part := range elements(get(schema, "allOf")) {
		e.learnValue(part, value)
	}
	for _, branch := range elements(get(schema, "oneOf")) {
		if kind := kindOf(value); kind == get(e.resolve(branch), "type").Value {
			e.learnValue(branch, value)
		}
	}
	for _, member := range pairs(get(schema, "properties")) {
		if given := get(value, member.key); given != nil {
			e.learnValue(member.value, given)
		}
	}
	if items := get(schema, "items"); items != nil {
		for _, element := range elements(value) {
			e.learnValue(items, element)
		}
	}
}

// informative ranks values: null, what is empty, and anything else.
func informative(value *yaml.Node) int {
	switch {
	case value == nil:
		return 0
	case value.Tag == "!!null":
		return 1
	case value.Value == "" && len(value.Content) == 0:
		return 2
	}
	return 3
}

// kindOf returns the type keyword of a schema that a value fits.
func kindOf(value *yaml.Node) string {
	return map[string]string{
		"!!str": "string", "!!int": "integer", "!!bool": "boolean", "!!map": "object", "!!seq": "array",
	}[value.Tag]
}

// addToOperation gives examples to the request and the responses of an operation.
func (e *examples) addToOperation(op operation, exchanges []*exchange) {
	own := examplesOf(op, exchanges)
	if len(own) == 0 {
		e.lacks(op.node, "%s: no request succeeds", op.id)
		return
	}
	for _, u := range e.parameters(op) {
		if u.value = own[0].parameters[u.name]; u.value == nil {
			if value, ok := e.defaults[u.name]; ok {
				u.value = &value
			} else {
				e.lacks(u.parameter, "%s: the parameter %s", op.id, u.name)
				continue
			}
		}
		e.uses = append(e.uses, u)
	}
	for _, media := range pairs(get(e.resolve(get(op.node, "requestBody")), "content")) {
		if !e.addToMedia(media.value, own, func(x *exchange) *yaml.Node { return x.sent }) {
			e.lacks(media.value, "%s: the body of the request", op.id)
		}
	}
	for _, response := range pairs(get(op.node, "responses")) {
		node := e.resolve(response.value)
		withResponse := func(all []*exchange, media string) (found []*exchange) {
			for _, x := range all {
				if e.response(x.operation, x.status) == node && x.media == media {
					found = append(found, x)
				}
			}
			return found
		}
		for _, media := range pairs(get(node, "content")) {
			from := withResponse(own, media.key)
			if all := withResponse(exchanges, media.key); len(from) == 0 && len(all) > 0 {
				from = all[:1]
			}
			if !e.addToMedia(media.value, from, func(x *exchange) *yaml.Node { return x.received }) {
				e.lacks(media.value, "%s: the response %s as %s", op.id, response.key, media.key)
			}
		}
	}
}

// addToMedia gives a media type of a body the example of one exchange, or the named examples of several. It reports
// whether there is one.
func (e *examples) addToMedia(media *yaml.Node, from []*exchange, body func(*exchange) *yaml.Node) bool {
	named := &yaml.Node{Kind: yaml.MappingNode}
	for _, x := range from {
		value := body(x)
		if value == nil {
			return false
		}
		if x.Example == "" || len(from) == 1 {
			set(media, "example", block(value))
			return true
		}
		set(named, x.Example, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text("value"), block(value)}})
	}
	set(media, "examples", named)
	return len(from) > 0
}

// addToParameters gives each parameter the value of the first operation that uses it. An operation that uses a shared
// parameter with another value gets a copy of it.
func (e *examples) addToParameters() {
	first := map[*yaml.Node]*yaml.Node{} // the value by parameter
	for _, u := range e.uses {
		if first[u.parameter] == nil {
			first[u.parameter] = u.value
		}
	}
	for _, u := range e.uses {
		if !same(u.value, first[u.parameter]) {
			*u.place = clone(u.parameter)
			set(*u.place, "example", flow(u.value))
		}
	}
	for parameter, value := range first {
		set(parameter, "example", flow(value))
	}
}

// addToHeaders gives every header of a response its first value.
func (e *examples) addToHeaders() {
	for _, op := range e.operations() {
		for _, response := range pairs(get(op.node, "responses")) {
			for _, header := range pairs(get(e.resolve(response.value), "headers")) {
				node := e.resolve(header.value)
				if e.values[node] == nil {
					e.lacks(node, "%s: the header %s of the response %s", op.id, header.key, response.key)
				} else {
					set(node, "example", flow(e.values[node]))
				}
			}
		}
	}
}

// addToSchemas gives an example to each shared schema, and to each member that has neither members nor items.
func (e *examples) addToSchemas() {
	for _, schema := range pairs(get(e.root, "components", "schemas")) {
		e.addToSchema(schema.value, schema.key, true)
	}
}

func (e *examples) addToSchema(schema *yaml.Node, name string, shared bool) {
	if get(schema, "$ref") != nil {
		return
	}
	members, items := pairs(get(schema, "properties")), get(schema, "items")
	value := e.values[schema]
	// What refers to a shared schema of a text, such as Identifier, means a certain kind of it.
	refined := get(schema, "allOf") != nil && value != nil && value.Kind == yaml.ScalarNode && value.Tag != "!!null"
	if shared || refined || get(schema, "type") != nil && len(members) == 0 && items == nil {
		if informative(value) < 2 {
			e.lacks(schema, "the schema %s", name)
		} else {
			set(schema, "example", block(e.project(schema, value)))
		}
	}
	for _, keyword := range []string{"allOf", "oneOf"} {
		for _, part := range elements(get(schema, keyword)) {
			e.addToSchema(part, name, false)
		}
	}
	for _, member := range members {
		e.addToSchema(member.value, name+"."+member.key, false)
	}
	if items != nil {
		e.addToSchema(items, name+"[]", false)
	}
}

// project returns an object without the members that the schema does not have: a part of allOf has learned the whole
// object.
func (e *examples) project(schema, value *yaml.Node) *yaml.Node {
	known := map[string]bool{}
	e.members(schema, known)
	if value.Kind != yaml.MappingNode || len(known) == 0 {
		return value
	}
	projected := &yaml.Node{Kind: yaml.MappingNode, Tag: value.Tag}
	for _, member := range pairs(value) {
		if known[member.key] {
			set(projected, member.key, member.value)
		}
	}
	return projected
}

func (e *examples) members(schema *yaml.Node, known map[string]bool) {
	schema = e.resolve(schema)
	for _, member := range pairs(get(schema, "properties")) {
		known[member.key] = true
	}
	for _, keyword := range []string{"allOf", "oneOf"} {
		for _, part := range elements(get(schema, keyword)) {
			e.members(part, known)
		}
	}
}
