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

const storyFile = "internal/contract/examples.yaml"

// A story is a list of requests, whose exchanges become the examples of the document. The file describes its form.
type story struct {
	Server   string               // the URL of the service, for those that are in responses
	Defaults map[string]yaml.Node // values of parameters
	Replace  map[string]yaml.Node // values of members, by SCHEMA.MEMBER, in the place of those that differ in each run
	Token    string               // that the requests send
	Story    []scene
}

// A scene is one request of a story.
type scene struct {
	Operation  string
	As         string // a name by which later requests refer to the response
	Example    string // the name of this example, where an operation has several
	Setup      bool   // the request is no example of its operation
	Method     string // in the place of the operation's
	Token      string // in the place of the story's; none: without credentials
	Parameters map[string]yaml.Node
	Headers    map[string]string // that are no parameters
	Body       yaml.Node
	Size       int       // the length of a body of spaces
	Repeat     int       // how often it is sent at most, until the response has the status; zero: once
	Status     int       // of the response; zero: a success
	Response   yaml.Node // in the place of the real one
}

func readStory(path string) (told story, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return told, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	return told, decoder.Decode(&told)
}

// references are texts such as ${ada.id}: the name of a response, and the way to a value in it.
var references = regexp.MustCompile(`\$\{([a-z]+)((?:\.[A-Za-z0-9_]+)*)\}`)

// answers are responses by their names.
type answers map[string]*yaml.Node

// fill returns a value with what its references refer to. A text that is one reference becomes the value, of whatever type.
func (a answers) fill(value *yaml.Node) (*yaml.Node, error) {
	filled := clone(value)
	for i, child := range filled.Content {
		var err error
		if filled.Content[i], err = a.fill(child); err != nil {
			return nil, err
		}
	}
	if filled.Kind != yaml.ScalarNode {
		return filled, nil
	}
	if parts := references.FindStringSubmatch(filled.Value); parts != nil && parts[0] == filled.Value {
		return a.find(parts[1], parts[2])
	}
	var failed error
	filled.Value = references.ReplaceAllStringFunc(filled.Value, func(reference string) string {
		parts := references.FindStringSubmatch(reference)
		found, err := a.find(parts[1], parts[2])
		if err != nil {
			failed = err
			return ""
		}
		return found.Value
	})
	return filled, failed
}

func (a answers) find(name, way string) (*yaml.Node, error) {
	node := a[name]
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
