package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/suggest"
)

// The members of the file's top level.
const (
	memberCurrent  = "current"
	memberProfiles = "profiles"
)

// A document is the file in two forms: as YAML nodes, which keep comments and order through a change, and as the values
// found in them. Values stay the text they were written as, so that a client id such as 0123 is not read as a number.
type document struct {
	tree     *yaml.Node // the document node around root
	root     *yaml.Node // the top-level mapping
	check    OperationCheck
	current  string
	profiles map[string]map[string]any // profile → key → string or map[string]string
}

// parseDocument reads one YAML document. Errors are [*Error] without a path.
func parseDocument(data []byte, check OperationCheck) (*document, error) {
	var tree yaml.Node
	// The YAML package puts an empty line behind comments that end with CRLF.
	data = bytes.ReplaceAll(plaintext.Bytes(data), []byte("\r\n"), []byte("\n"))
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&tree); {
	case errors.Is(err, io.EOF):
		// There are only comments, which the YAML package drops.
		tree = yaml.Node{Kind: yaml.DocumentNode, HeadComment: string(bytes.TrimSpace(data))}
	case err != nil:
		return nil, syntaxError(data, err)
	default:
		var second yaml.Node
		if err := decoder.Decode(&second); err == nil {
			return nil, errorAt(&second, "the file holds more than one YAML document; keep the first")
		} else if !errors.Is(err, io.EOF) {
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
	d := &document{tree: &tree, root: tree.Content[0], check: check}
	return d, d.readValues()
}

// readValues reads the values from the nodes, as the table of keys allows them.
func (d *document) readValues() error {
	d.current, d.profiles = "", map[string]map[string]any{}
	return eachMember(d.root, "the file", func(name, value *yaml.Node) error {
		switch name.Value {
		case memberCurrent:
			text, err := scalar(value)
			if err == nil {
				_, err = profileName(text)
			}
			if err != nil {
				return errorAt(value, "%s: %v", memberCurrent, err)
			}
			d.current = text
			return nil
		case memberProfiles:
			return eachMember(value, memberProfiles, d.readProfile)
		}
		if k, ok := findKey(name.Value); ok && (k.inProfile || k.secret) {
			return errorAt(name, "%q belongs to a profile; put it below %s and the profile's name", name.Value, memberProfiles)
		}
		nearest := suggest.To(name.Value, []string{memberCurrent, memberProfiles})
		return errorAt(name, "unknown key %q, did you mean %q?", shorten(name.Value), nearest)
	})
}

func (d *document) readProfile(name, body *yaml.Node) error {
	if _, err := profileName(name.Value); err != nil {
		return errorAt(name, "%v", err)
	}
	values := map[string]any{}
	d.profiles[name.Value] = values
	return eachMember(body, "profile "+name.Value, func(member, value *yaml.Node) error {
		k, ok := findKey(member.Value)
		switch {
		case ok && k.secret:
			return errorAt(member, "%q is a secret, which this file must not hold; remove it, and set %s or run payctl auth "+
				"login", k.name, k.env)
		case !ok || !k.inProfile:
			nearest := suggest.To(member.Value, ProfileKeys())
			return errorAt(member, "unknown key %q, did you mean %q?", shorten(member.Value), nearest)
		}
		raw, err := d.readValue(k, value)
		if err != nil {
			return err
		}
		values[k.name] = raw
		return nil
	})
}

func (d *document) readValue(k key, value *yaml.Node) (any, error) {
	if !k.isMap {
		return checkedScalar(k, value)
	}
	raw := map[string]string{}
	err := eachMember(value, k.name, func(name, node *yaml.Node) error {
		err := operationID(name.Value)
		if err != nil {
			return errorAt(name, "%s: %v", k.name, err)
		}
		raw[name.Value], err = checkedScalar(k, node)
		if err == nil && d.check != nil {
			if err := d.check(name.Value, node.Value); err != nil {
				return errorAt(name, "%s: %v", k.name, err)
			}
		}
		return err
	})
	return raw, err
}

func checkedScalar(k key, value *yaml.Node) (string, error) {
	text, err := scalar(value)
	if err == nil {
		_, err = k.check(text)
	}
	if err == nil && k.isPath && !filepath.IsAbs(text) {
		err = fmt.Errorf("%q is not absolute; commands run in many folders, so write the path from the root", shorten(text))
	}
	if err != nil {
		return "", errorAt(value, "%s: %v", k.name, err)
	}
	return text, nil
}

func scalar(n *yaml.Node) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return "", errors.New("an alias is not allowed here; write the value itself")
	case n.Kind != yaml.ScalarNode:
		return "", errors.New("a single value is expected, not a list or a mapping")
	case n.ShortTag() == "!!null":
		return "", errors.New("no value is given; give one or remove the line")
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}, n.ShortTag()):
		return "", fmt.Errorf("a value with the tag %s is not allowed here", shorten(n.ShortTag()))
	}
	return n.Value, nil
}

// eachMember calls visit for the members of a mapping. Duplicate members are an error, since YAML readers differ in
// which of them they use. A member without a value counts as an empty mapping.
func eachMember(n *yaml.Node, what string, visit func(name, value *yaml.Node) error) error {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return errorAt(n, "%s must be a mapping of names to values", what)
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return errorAt(name, "%s: a plain name is expected here, no alias, merge or nested name", what)
		}
		if line, ok := seen[name.Value]; ok {
			return errorAt(name, "%q is given twice, first on line %d", shorten(name.Value), line)
		}
		seen[name.Value] = name.Line
		if err := visit(name, value); err != nil {
			return err
		}
	}
	return nil
}

func errorAt(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Column: n.Column, Reason: fmt.Sprintf(format, args...)}
}

// syntaxError returns an error of the YAML package with its position, which is only in its text.
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
	return &Error{Line: line, Column: column, Reason: "not valid YAML: " + reason}
}

// notUTF8 returns an error with the position of the first bytes that are not UTF-8, which the YAML package does not
// report.
func notUTF8(data []byte) error {
	end := 0
	for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(data[end:]) {
		end += size
	}
	valid := data[:end]
	lineStart := bytes.LastIndexByte(valid, '\n') + 1
	return &Error{
		Line: 1 + bytes.Count(valid, []byte("\n")), Column: 1 + utf8.RuneCount(valid[lineStart:]),
		Reason: "not UTF-8; save the file as UTF-8",
	}
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
