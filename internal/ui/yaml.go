package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlDocument is the JSON form of a value as YAML, with the same names, order and digits.
func yamlDocument(value any) ([]byte, error) {
	doc, err := compactJSON(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	node, err := yamlNode(dec)
	if err != nil {
		return nil, fmt.Errorf("cannot write this value as YAML: %w", err)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(node), enc.Close()); err != nil {
		return nil, fmt.Errorf("cannot write this value as YAML: %w", err)
	}
	return escapeYAML(b.Bytes()), nil
}

// yamlNode reads one value. encoding/json bounds the depth of what it encoded.
func yamlNode(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	scalar := &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	switch t := token.(type) {
	case json.Delim:
		return yamlCollection(dec, t)
	case string:
		return yamlString(t), nil
	case json.Number, bool:
		scalar.Value = fmt.Sprint(t)
	}
	return scalar, nil
}

func yamlCollection(dec *json.Decoder, open json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	if open == '{' {
		node.Kind = yaml.MappingNode
	}
	// A member's name is also a string token. So names and values alternate in Content, as in any mapping node.
	for dec.More() {
		child, err := yamlNode(dec)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if len(node.Content) == 0 {
		node.Style = yaml.FlowStyle
	}
	_, err := dec.Token()
	return node, err
}

// yamlString quotes a string that a reader could take for something else. For a node, the encoder itself quotes
// numbers, dates and null, but not the booleans of YAML 1.1: an unquoted country NO is false there.
func yamlString(s string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if needsQuotes(s) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func needsQuotes(s string) bool {
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "=", "<<": // = and << have tags of their own in YAML 1.1
		return true
	}
	// 12:30:00 is a number to base 60 in YAML 1.1, and 1e5 or 0o17 are numbers to some readers.
	if strings.IndexByte("+-.0123456789", s[0]) >= 0 {
		return true
	}
	return strings.TrimSpace(s) != s || strings.ContainsFunc(s, hidden)
}

// escapeYAML escapes hidden characters. All are in double-quoted strings, where \u and \U mean the same character (YAML
// 1.2, 5.7).
func escapeYAML(doc []byte) []byte {
	return escapeHidden(doc, func(r rune) string {
		if r > 0xFFFF {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}
