package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A pair is a member of a mapping.
type pair struct {
	key   string
	value *yaml.Node
}

// pairs returns the members of a mapping in order; none of any other node.
func pairs(node *yaml.Node) []pair {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	var all []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		all = append(all, pair{node.Content[i].Value, node.Content[i+1]})
	}
	return all
}

// get returns the node below mappings at a path of keys, or nil.
func get(node *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		all := pairs(node)
		i := slices.IndexFunc(all, func(p pair) bool { return p.key == key })
		if i < 0 {
			return nil
		}
		node = all[i].value
	}
	return node
}

// set gives a member of a mapping a value. A new member comes last.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, text(key), value)
}

// remove takes a member out of a mapping, if it is there.
func remove(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}

// text returns a node of a string.
func text(value string) *yaml.Node {
	var node yaml.Node
	node.SetString(value)
	return &node
}

// list returns a node of a sequence in one line.
func list(elements ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: elements}
}

// visit calls fn for every mapping below a node and for the node itself, the outer ones first.
func visit(node *yaml.Node, fn func(mapping *yaml.Node)) {
	if node.Kind == yaml.MappingNode {
		fn(node)
	}
	for _, child := range node.Content {
		visit(child, fn)
	}
}

// elements returns the elements of a sequence; none of any other node.
func elements(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}

// clone copies a node and everything below it, with what an alias stands for in its place.
func clone(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return clone(node.Alias)
	}
	copied := *node
	copied.Content = nil
	for _, child := range node.Content {
		copied.Content = append(copied.Content, clone(child))
	}
	return &copied
}

// flow copies a value so that it is written in one line, and without comments and needless quotes.
func flow(value *yaml.Node) *yaml.Node {
	copied := &yaml.Node{Kind: value.Kind, Tag: value.Tag, Value: value.Value}
	switch {
	case value.Kind != yaml.ScalarNode:
		copied.Style = yaml.FlowStyle
	case strings.Contains(value.Value, "\n"):
		copied.Style = yaml.LiteralStyle
	case value.Tag == "!!str" && strings.IndexAny(value.Value, "+-.0123456789") == 0:
		copied.Style = yaml.DoubleQuotedStyle // other readers of YAML take more of these for numbers
	}
	for _, child := range value.Content {
		copied.Content = append(copied.Content, flow(child))
	}
	return copied
}

// block copies a value so that each member of an object has a line.
func block(value *yaml.Node) *yaml.Node {
	copied := flow(value)
	if value.Kind == yaml.MappingNode && len(value.Content) > 0 {
		copied.Style = 0
	}
	return copied
}

// same reports whether two values are the same, in the same order.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}
