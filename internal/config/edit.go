package config

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
)

// An edit changes a document. Edits are kept until the file is saved and made again on what the file
// holds by then, so that two programs which change different things both succeed.
type edit func(*document) error

func setEdit(profile string, k key, name, text string) edit {
	return func(d *document) error {
		parent, member := child(child(d.root, memberProfiles), profile), k.name
		if k.many {
			parent, member = child(parent, k.name), name
		}
		put(parent, member, text, k.tag)
		return d.index()
	}
}

// unsetEdit leaves an emptied mapping in place for a profile, which exists although it says nothing,
// and takes it out for a setting.
func unsetEdit(profile string, k key, name string) edit {
	return func(d *document) error {
		if _, ok := d.profiles[profile]; !ok {
			return nil
		}
		body := child(child(d.root, memberProfiles), profile)
		if k.many && name != "" {
			if entries := lookUp(body, k.name); entries != nil {
				drop(entries, name)
				if len(entries.Content) > 0 {
					return d.index()
				}
			}
		}
		drop(body, k.name)
		return d.index()
	}
}

func removeEdit(profile string) edit {
	return func(d *document) error {
		if profiles := lookUp(d.root, memberProfiles); profiles != nil {
			drop(profiles, profile)
			if len(profiles.Content) == 0 {
				drop(d.root, memberProfiles)
			}
		}
		if d.current == profile {
			drop(d.root, memberCurrent)
		}
		return d.index()
	}
}

func useEdit(profile string) edit {
	return func(d *document) error {
		if _, ok := d.profiles[profile]; !ok && profile != DefaultProfile {
			return &UnknownProfileError{Name: profile, Known: d.names()}
		}
		put(d.root, memberCurrent, profile, "")
		return d.index()
	}
}

func (d *document) names() []string {
	names := sortedNames(d.profiles)
	if _, ok := d.profiles[DefaultProfile]; !ok {
		names = append(names, DefaultProfile)
		slices.Sort(names)
	}
	return names
}

// encode writes the document out and reads it back. The YAML writer is known to misplace some comments
// in a way that breaks the text; then the comments are given up rather than the settings.
func (d *document) encode() ([]byte, error) {
	data, err := encodeNode(d.tree)
	if err == nil && d.sameAs(data) {
		return data, nil
	}
	plain(d.tree)
	data, err = encodeNode(d.tree)
	if err != nil {
		return nil, err
	}
	if !d.sameAs(data) {
		return nil, errors.New("the configuration does not survive being written as YAML; edit the file by hand")
	}
	return data, nil
}

func (d *document) sameAs(data []byte) bool {
	back, err := parseDocument(data)
	return err == nil && back.current == d.current && reflect.DeepEqual(back.profiles, d.profiles)
}

func encodeNode(n *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		return nil, err
	}
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func plain(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment, n.Anchor, n.Style = "", "", "", "", 0
	for _, c := range n.Content {
		plain(c)
	}
}

func lookUp(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// child returns the mapping under name and makes it where there is none.
func child(mapping *yaml.Node, name string) *yaml.Node {
	if value := lookUp(mapping, name); value != nil {
		if value.Kind != yaml.MappingNode { // nothing written after the colon
			value.Kind, value.Tag, value.Value, value.Style = yaml.MappingNode, "!!map", "", 0
		}
		return value
	}
	value := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	add(mapping, name, value)
	return value
}

// put sets the scalar under name; an existing one keeps its comments and, where it may, its quotes.
func put(mapping *yaml.Node, name, text, tag string) {
	if tag == "" {
		tag = "!!str"
	}
	value := lookUp(mapping, name)
	if value == nil {
		add(mapping, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text})
		return
	}
	value.Value, value.Tag = text, tag
	if tag == "!!str" {
		value.Style &= yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	} else {
		value.Style = 0
	}
}

func add(mapping *yaml.Node, name string, value *yaml.Node) {
	if len(mapping.Content) == 0 {
		mapping.Style &^= yaml.FlowStyle
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}

func drop(mapping *yaml.Node, name string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
