package main

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// renderJSON writes the document in JSON. Members keep their order, since renderers show them in that order.
func renderJSON(d *document) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(jsontext.NewEncoder(&b), d.root)
	return b.Bytes(), err
}

func writeJSON(e *jsontext.Encoder, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		return writeAll(e, jsontext.BeginObject, node.Content, jsontext.EndObject)
	case yaml.SequenceNode:
		return writeAll(e, jsontext.BeginArray, node.Content, jsontext.EndArray)
	case yaml.ScalarNode:
		var value any
		if err := node.Decode(&value); err != nil {
			return err
		}
		return json.MarshalEncode(e, value)
	}
	return fmt.Errorf("line %d: the document may not have anchors and aliases", node.Line)
}

// writeAll writes an object, whose nodes are its names and values in turn, or an array.
func writeAll(e *jsontext.Encoder, begin jsontext.Token, nodes []*yaml.Node, end jsontext.Token) error {
	if err := e.WriteToken(begin); err != nil {
		return err
	}
	for _, node := range nodes {
		if err := writeJSON(e, node); err != nil {
			return err
		}
	}
	return e.WriteToken(end)
}
