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
	Server   string               // the URL of the service, for those that are in responses
	Defaults map[string]yaml.Node // values of parameters
	Replace  map[string]yaml.Node // values of members, by SCHEMA.MEMBER, in the place of those that differ in each run
	Token    string               // that the requests send
	Requests []exampleRequest
}

// An exampleRequest is one request of the list.
type exampleRequest struct {
	Operation  string
	As         string // a name by which later requests refer to the response
	Example    string // the name of this example, where an operation has several
	Setup      bool   // the request is no example of its operation
	Method     string // in the place of the operation's
	Token      string // in the place of the list's; none: without credentials
	Parameters map[string]yaml.Node
	Headers    map[string]string // that are no parameters
	Body       yaml.Node
	Size       int       // the length of a body of spaces
	Repeat     int       // how often it is sent at most, until the response has the status; zero: once
	Status     int       // of the response; zero: a success
	Response   yaml.Node // in the place of the real one
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

// references are texts such as ${ada.id}: the name of a response, and the way to a value in it.
var references = regexp.MustCompile(`\$\{([a-z]+)((?:\.[A-Za-z0-9_]+)*)\}`)

// responses are the bodies of responses by their names.
type responses map[string]*yaml.Node

// fill returns a value with what its references refer to. A text that is one reference becomes the value, of whatever type.
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

func (r responses) find(name, way string) (*yaml.Node, error) {
	node := r[name]
	for step := range strings.SplitSeq(strings.TrimPrefix(way, "."), ".") {
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
		return nil, fmt.Errorf("no earlier response has ${%s%s}", name, way)
	}
	return node, nil
}
