package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/nearest"
)

// The members of the file's top level.
const (
	memberCurrent  = "current"
	memberProfiles = "profiles"
)

// A document is the file twice: as YAML nodes, which keep comments and order through an edit, and as
// the values found in them. Values stay the text they were written as, so that a client id such as
// 0123 is no number.
type document struct {
	root     *yaml.Node // the top-level mapping
	tree     *yaml.Node // the document node around root
	current  string
	profiles map[string]map[string]any // profile → key → string or map[string]string
}

// parseDocument reads one YAML document. Errors are [*FileError] without a path.
func parseDocument(data []byte) (*document, error) {
	var tree yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	err := decoder.Decode(&tree)
	switch {
	case isEOF(err):
		// Nothing but comments, which YAML drops with the document that is not there.
		tree = yaml.Node{Kind: yaml.DocumentNode, HeadComment: onlyComments(data)}
	case err != nil:
		return nil, syntaxError(data, err)
	default:
		if err := decoder.Decode(new(yaml.Node)); err == nil {
			return nil, &FileError{Reason: "the file holds more than one YAML document; keep the first"}
		} else if !isEOF(err) {
			return nil, syntaxError(data, err)
		}
	}
	if len(tree.Content) == 0 || tree.Content[0].Tag == "!!null" {
		root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if len(tree.Content) > 0 {
			root.HeadComment = tree.Content[0].HeadComment
		}
		tree.Content = []*yaml.Node{root}
	}
	d := &document{tree: &tree, root: tree.Content[0]}
	if err := d.index(); err != nil {
		return nil, err
	}
	return d, nil
}

// index reads the values out of the nodes. The table of keys decides what may stand where.
func (d *document) index() error {
	d.current, d.profiles = "", map[string]map[string]any{}
	return eachMember(d.root, "the file", func(name, value *yaml.Node) error {
		switch name.Value {
		case memberCurrent:
			text, err := scalar(value)
			if err == nil {
				_, err = profileName(text)
			}
			if err != nil {
				return at(value, "%s: %v", memberCurrent, err)
			}
			d.current = text
			return nil
		case memberProfiles:
			return eachMember(value, memberProfiles, d.indexProfile)
		}
		if k, ok := findKey(name.Value); ok && (k.inProfile || k.secret) {
			return at(name, "%q belongs to a profile; put it below %s and the profile's name", name.Value, memberProfiles)
		}
		return at(name, "unknown key %q, did you mean %q?", shorten(name.Value), nearest.To(name.Value, []string{memberCurrent, memberProfiles}))
	})
}

func (d *document) indexProfile(name, body *yaml.Node) error {
	if _, err := profileName(name.Value); err != nil {
		return at(name, "%v", err)
	}
	values := map[string]any{}
	d.profiles[name.Value] = values
	return eachMember(body, "profile "+name.Value, func(member, value *yaml.Node) error {
		k, ok := findKey(member.Value)
		switch {
		case ok && k.secret:
			return at(member, "%q is a secret, and this file holds none; run 'payctl auth login' or set %s, and take it out here", k.name, k.env)
		case !ok || !k.inProfile:
			return at(member, "unknown key %q, did you mean %q?", shorten(member.Value), nearest.To(member.Value, ProfileKeys()))
		}
		raw, err := readValue(k, value)
		if err != nil {
			return err
		}
		values[k.name] = raw
		return nil
	})
}

func readValue(k key, value *yaml.Node) (any, error) {
	if k.many {
		raw := map[string]string{}
		err := eachMember(value, k.name, func(name, node *yaml.Node) error {
			if err := operationID(name.Value); err != nil {
				return at(name, "%s: %v", k.name, err)
			}
			text, err := checkedScalar(k, node)
			raw[name.Value] = text
			return err
		})
		return raw, err
	}
	return checkedScalar(k, value)
}

func checkedScalar(k key, value *yaml.Node) (string, error) {
	text, err := scalar(value)
	if err == nil {
		_, err = k.check(text)
	}
	if err == nil && k.file && !filepath.IsAbs(text) {
		err = fmt.Errorf("%q is not absolute; commands run in many folders, so write the path from the root", shorten(text))
	}
	if err != nil {
		return "", at(value, "%s: %v", k.name, err)
	}
	return text, nil
}

func scalar(n *yaml.Node) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return "", errors.New("an alias is not followed here; write the value out")
	case n.Kind != yaml.ScalarNode:
		return "", errors.New("a single value is expected, not a list or a mapping")
	case n.ShortTag() == "!!null":
		return "", errors.New("no value is given; give one or take the line out")
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}, n.ShortTag()):
		return "", fmt.Errorf("a value with the tag %s is not read here", shorten(n.ShortTag()))
	}
	return n.Value, nil
}

// eachMember walks a mapping and refuses duplicate members, of which YAML readers would silently take
// either. Nothing at all counts as an empty mapping.
func eachMember(n *yaml.Node, what string, visit func(name, value *yaml.Node) error) error {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return at(n, "%s must be a mapping of names to values", what)
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return at(name, "%s: a plain name is expected here; aliases, merges and nested names are not read", what)
		}
		if line, ok := seen[name.Value]; ok {
			return at(name, "%q is given twice, first on line %d", shorten(name.Value), line)
		}
		seen[name.Value] = name.Line
		if err := visit(name, value); err != nil {
			return err
		}
	}
	return nil
}

func at(n *yaml.Node, format string, args ...any) error {
	return &FileError{Line: n.Line, Column: n.Column, Reason: fmt.Sprintf(format, args...)}
}

// syntaxError finds the position in the text of the YAML reader's error, the only place where it stands.
func syntaxError(data []byte, err error) error {
	if !utf8.Valid(data) {
		return notUTF8(data)
	}
	reason, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(reason); m != nil {
		reason = reason[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	lines := strings.Split(string(data), "\n")
	line = max(1, min(line, len(lines)))
	text := lines[line-1]
	column := 1 + len(text) - len(strings.TrimLeft(text, " \t"))
	return &FileError{Line: line, Column: column, Reason: "not valid YAML: " + reason}
}

func onlyComments(data []byte) string {
	var comments []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			comments = append(comments, line)
		}
	}
	return strings.Join(comments, "\n")
}

// notUTF8 tells where a text that is not UTF-8 stops to be, which the YAML reader does not.
func notUTF8(data []byte) error {
	at := 0
	for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(data[at:]) {
		at += size
	}
	before := data[:at]
	return &FileError{
		Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]),
		Reason: "not UTF-8; save the file as UTF-8",
	}
}
