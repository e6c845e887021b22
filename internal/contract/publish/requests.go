package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const requestsFile = "internal/contract/examples.yaml"

// A requestList is the content of examples.yaml: requests whose exchanges become the examples of the document.
type requestList struct {
	Server   string               // the URL of the service, which occurs in responses
	Defaults map[string]yaml.Node // values of parameters
	Replace  map[string]yaml.Node // by SCHEMA.MEMBER: what the examples have instead of a value that differs in each run
	Token    string               // the Bearer token that the requests send
	Requests []exampleRequest
}

// An exampleRequest is one request of the list.
type exampleRequest struct {
	Operation  string
	As         string // a name by which later requests refer to the response
	Example    string // the name of this example if the operation has several
	Setup      bool   // the request is no example of its operation
	Method     string // instead of the operation's
	Token      string // instead of the list's; "none": the request has no credentials
	Parameters map[string]yaml.Node
	Headers    map[string]string // headers that are not parameters of the document
	Body       yaml.Node
	Size       int       // if not zero, the body is as many spaces
	Repeat     int       // sent up to as many times, until the response has Status; zero: once
	Status     int       // the expected status; zero: any 2xx
	Response   yaml.Node // the example instead of the body of the real response
}

func readRequests(path string) (list requestList, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return list, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	return list, decoder.Decode(&list)
}

// references matches texts such as ${ada.id}: the name of a response, and the path to a value in it.
var references = regexp.MustCompile(`\$\{([a-z]+)((?:\.[A-Za-z0-9_]+)*)\}`)

// responses are the bodies of responses by their names.
type responses map[string]*yaml.Node

// fill returns a copy of a value in which references are replaced. A text that is nothing but a reference becomes the value
// that it refers to, of whatever type.
func (r responses) fill(value *yaml.Node) (*yaml.Node, error) {
	filled := clone(value)
	for i, child := range filled.Content {
		var err error
		if filled.Content[i], err = r.fill(child); err != nil {
			return nil, err
		}
	}
	if filled.Kind != yaml.ScalarNode {
		return filled, nil
	}
	if parts := references.FindStringSubmatch(filled.Value); parts != nil && parts[0] == filled.Value {
		return r.find(parts[1], parts[2])
	}
	var failed error
	filled.Value = references.ReplaceAllStringFunc(filled.Value, func(reference string) string {
		parts := references.FindStringSubmatch(reference)
		found, err := r.find(parts[1], parts[2])
		if err != nil {
			failed = err
			return ""
		}
		return found.Value
	})
	return filled, failed
}

// find returns the value at a path, such as .routes.0, in the response with a name.
func (r responses) find(name, path string) (*yaml.Node, error) {
	node := r[name]
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if step == "" {
			break
		}
		if i, err := strconv.Atoi(step); err == nil && i < len(elements(node)) {
			node = elements(node)[i]
		} else {
			node = get(node, step)
		}
	}
	if node == nil {
		return nil, fmt.Errorf("no earlier response has ${%s%s}", name, path)
	}
	return node, nil
}
