package catalogue

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/nearest"
	"github.com/payctl/payctl/internal/payments"
)

// A field is a key that a mapping may have, and how its value is read.
type field struct {
	name     string
	required bool
	read     func(*yaml.Node) error
}

// at makes the error at a node's position. Load adds the file.
func at(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Column: n.Column, Reason: fmt.Sprintf(format, args...)}
}

func wrongForm(n *yaml.Node, what, wanted string) error {
	if n.Kind == yaml.AliasNode {
		return at(n, "%s: an alias stands here; aliases are not read, write the value out", what)
	}
	return at(n, "%s must be %s", what, wanted)
}

// readFields reads a mapping whose keys are known.
func readFields(n *yaml.Node, what string, fields ...field) error {
	found := map[string]bool{}
	err := readEntries(n, what, func(key, value *yaml.Node) error {
		names := make([]string, len(fields))
		for i, f := range fields {
			if f.name == key.Value {
				found[f.name] = true
				return f.read(value)
			}
			names[i] = f.name
		}
		return at(key, "%s has no key %s; did you mean %q?", what, quote(key.Value), nearest.To(key.Value, names))
	})
	if err != nil {
		return err
	}
	for _, f := range fields {
		if f.required && !found[f.name] {
			return at(n, "%s lacks the key %q", what, f.name)
		}
	}
	return nil
}

// readEntries visits the entries of a mapping in order and refuses repeated keys.
func readEntries(n *yaml.Node, what string, visit func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrongForm(n, what, "a mapping, keys with values")
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			return at(key, "%s: a plain key is expected here; anchors, merges and nested keys are not read", what)
		}
		if line, ok := lines[key.Value]; ok {
			return at(key, "%s has the key %s twice, first on line %d", what, quote(key.Value), line)
		}
		lines[key.Value] = key.Line
		if err := visit(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// readItems visits the items of a list in order, maxNames of them at the most.
func readItems(n *yaml.Node, what string, visit func(item *yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrongForm(n, what, "a list")
	}
	if len(n.Content) > maxNames {
		return at(n, "%s has %d items; %d are the most", what, len(n.Content), maxNames)
	}
	for _, item := range n.Content {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

// text is a scalar as it is written: 1.00 stays "1.00" and never passes through a float.
func text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", wrongForm(n, what, "a single value")
	}
	return n.Value, nil
}

func wholeInto(into *int, what string, most int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		word, err := text(n, what)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(word)
		if err != nil || number < 0 || number > most {
			return at(n, "%s must be a whole number from 0 to %d, not %s", what, most, quote(word))
		}
		*into = number
		return nil
	}
}

func boolInto(into *bool, what string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
			return at(n, "%s must be true or false", what)
		}
		*into = n.Value == "true"
		return nil
	}
}

func decimalInto(into *payments.Decimal, what string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		word, err := text(n, what)
		if err != nil {
			return err
		}
		*into, err = payments.ParseDecimal(word)
		if err != nil {
			return at(n, "%s %v; it is %s", what, err, quote(word))
		}
		return nil
	}
}

// words reads one word or a list of words.
func words(n *yaml.Node, what string) ([]*yaml.Node, error) {
	if n.Kind == yaml.ScalarNode {
		_, err := text(n, what)
		return []*yaml.Node{n}, err
	}
	err := readItems(n, what, func(item *yaml.Node) error {
		_, err := text(item, what)
		return err
	})
	if err == nil && len(n.Content) == 0 {
		err = at(n, "%s is an empty list; leave it out or name something", what)
	}
	return n.Content, err
}

// longestQuote bounds what an error repeats of the file, in bytes.
const longestQuote = 40

func quote(s string) string {
	if len(s) > longestQuote {
		return strconv.Quote(s[:longestQuote]) + "…"
	}
	return strconv.Quote(s)
}
