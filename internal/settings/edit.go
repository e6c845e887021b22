package settings

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// apply makes a change and reads the values again.
func (d *document) apply(change func(*document) error) error {
	if err := change(d); err != nil {
		return err
	}
	return d.readValues()
}

// set sets a key of a profile, or the member of that name if the key is a mapping.
func (d *document) set(profile string, k key, name, text string) {
	parent, member := child(child(d.root, memberProfiles), profile), k.name
	if k.isMap {
		parent, member = child(parent, k.name), name
	}
	put(parent, member, text, k.tag)
}

// unset removes a key of a profile, or one member of a mapping. A profile whose last key is removed still exists.
func (d *document) unset(profile string, k key, name string) {
	if _, ok := d.profiles[profile]; !ok {
		return
	}
	body := child(child(d.root, memberProfiles), profile)
	if members := lookUp(body, k.name); members != nil && name != "" {
		removeMember(members, name)
		if len(members.Content) > 0 {
			return
		}
	}
	removeMember(body, k.name)
}

// remove removes a profile.
func (d *document) remove(profile string) {
	if profiles := lookUp(d.root, memberProfiles); profiles != nil {
		removeMember(profiles, profile)
		if len(profiles.Content) == 0 {
			removeMember(d.root, memberProfiles)
		}
	}
	if d.current == profile {
		removeMember(d.root, memberCurrent)
	}
}

// lookUp returns the value of a member, or nil.
func lookUp(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// child returns the mapping of that name, and creates it where there is none.
func child(mapping *yaml.Node, name string) *yaml.Node {
	value := lookUp(mapping, name)
	switch {
	case value == nil:
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		addMember(mapping, name, value)
	case value.Kind != yaml.MappingNode: // there is no value after the colon
		value.Kind, value.Tag, value.Value, value.Style = yaml.MappingNode, "!!map", "", 0
	}
	return value
}

// put sets a scalar member. An existing one keeps its comments.
func put(mapping *yaml.Node, name, text, tag string) {
	if tag == "" {
		tag = "!!str"
	}
	value := lookUp(mapping, name)
	if value == nil {
		addMember(mapping, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text})
		return
	}
	value.Value, value.Tag, value.Style = text, tag, 0 // the YAML package adds quotes where they are needed
}

func addMember(mapping *yaml.Node, name string, value *yaml.Node) {
	if len(mapping.Content) == 0 {
		mapping.Style &^= yaml.FlowStyle
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}

func removeMember(mapping *yaml.Node, name string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}
