package routes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/suggest"
)

// This file reads YAML strictly. Errors quote at most 40 characters of the file (%.40q).

// A field is a key that a mapping may have, and the function that reads its value.
type field struct {
	name     string
	required bool
	read     func(*yaml.Node) error
}

// at returns an error at a node's position. Load adds the file's name.
func at(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Column: n.Column, Reason: fmt.Sprintf(format, args...)}
}

// wrongForm returns the error of a node that is no mapping, list or scalar where one is expected.
func wrongForm(n *yaml.Node, what, wanted string) error {
	if n.Kind == yaml.AliasNode {
		return at(n, "%s: an alias stands here; aliases are not supported, write the value out", what)
	}
	return at(n, "%s must be %s", what, wanted)
}

// readFields reads a mapping whose keys are known, in the order of the fields.
func readFields(n *yaml.Node, what string, fields ...field) error {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	values := map[string]*yaml.Node{}
	err := readEntries(n, what, func(key, value *yaml.Node) error {
		if !slices.Contains(names, key.Value) {
			return at(key, "%s has no key %.40q; did you mean %q?", what, key.Value, suggest.To(key.Value, names))
		}
		values[key.Value] = value
		return nil
	})
	for _, f := range fields {
		switch value := values[f.name]; {
		case err != nil:
			return err
		case value != nil:
			err = f.read(value)
		case f.required:
			err = at(n, "%s lacks the key %q", what, f.name)
		}
	}
	return err
}

// readEntries visits the entries of a mapping in order. It refuses repeated keys.
func readEntries(n *yaml.Node, what string, visit func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrongForm(n, what, "a mapping, keys with values")
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			return at(key, "%s: a plain key is expected here; anchors, merges and nested keys are not supported", what)
		}
		if line, ok := lines[key.Value]; ok {
			return at(key, "%s has the key %.40q twice, first on line %d", what, key.Value, line)
		}
		lines[key.Value] = key.Line
		if err := visit(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// readItems visits the items of a list in order; maxNames of them at most.
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

// text returns a scalar as it is written: 1.00 stays "1.00" and never passes through a float.
func text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", wrongForm(n, what, "a single value")
	}
	return n.Value, nil
}

// words returns a scalar, or the scalars of a list.
func words(n *yaml.Node, what string) (list []*yaml.Node, err error) {
	list = n.Content
	if n.Kind == yaml.ScalarNode {
		list = []*yaml.Node{n}
	} else if err := readItems(n, what, func(*yaml.Node) error { return nil }); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, at(n, "%s is an empty list; leave it out or name something", what)
	}
	for _, item := range list {
		if _, err := text(item, what); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func wholeInto(into *int, what string, most int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		word, err := text(n, what)
		if err != nil {
			return err
		}
		if *into, err = strconv.Atoi(word); err != nil || *into < 0 || *into > most {
			return at(n, "%s must be a whole number from 0 to %d, not %.40q", what, most, word)
		}
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
		if *into, err = payments.ParseDecimal(word); err != nil {
			return at(n, "%s %v; it is %.40q", what, err, word)
		}
		return nil
	}
}

// nameInto reads a name that the file declares.
func nameInto(into *string, what string, declared []string) func(*yaml.Node) error {
	return func(n *yaml.Node) (err error) {
		if *into, err = text(n, what); err == nil && !slices.Contains(declared, *into) {
			err = unknown(n, what, *into, declared)
		}
		return err
	}
}

// unknown returns the error of a name that the file does not declare.
func unknown(n *yaml.Node, what, word string, declared []string) error {
	if len(declared) == 0 {
		return at(n, "there is no %s %.40q: the catalogue declares none", what, word)
	}
	return at(n, "there is no %s %.40q; did you mean %q?", what, word, suggest.To(word, declared))
}

// A nameForm is the form of the names of one kind.
type nameForm struct {
	first, others string // the characters that a name may begin with, and those that may follow
	longest       int    // in bytes
	words         string // for errors
}

// Rails and providers, and currencies. A routeKey of the longest names is shorter than the contract allows.
var (
	railForm = nameForm{lowerCase, lowerCase + digits + "_", 40,
		"lower-case letters, digits and _, at most 40, beginning with a letter"}
	currencyForm = nameForm{upperCase, upperCase + digits, 12,
		"upper-case letters and digits, at most 12, beginning with a letter"}
)

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
)

// has reports whether a name has the form.
func (f nameForm) has(name string) bool {
	return name != "" && len(name) <= f.longest &&
		strings.Trim(name[:1], f.first) == "" && strings.Trim(name, f.others) == ""
}

// readNamed reads a mapping whose keys are names that the file declares, and lists them in order.
func readNamed(
	n *yaml.Node, what string, names *[]string, form nameForm, visit func(key, value *yaml.Node) error,
) error {
	return readEntries(n, what, func(key, value *yaml.Node) error {
		if !form.has(key.Value) {
			return at(key, "a name in %s must be %s, not %.40q", what, form.words, key.Value)
		}
		if len(*names) == maxNames {
			return at(key, "%s has more than %d entries", what, maxNames)
		}
		*names = append(*names, key.Value)
		return visit(key, value)
	})
}
