package main

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

func encodeYAML(document *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// encodeJSON writes the members of objects in the order of the document, since renderers show them in that order.
func encodeJSON(document *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	if err := writeJSON(jsontext.NewEncoder(&b), document); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
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
