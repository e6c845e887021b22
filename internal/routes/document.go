package routes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// A document is a catalogue file as it is written. check.go checks what its form does not say.
type document struct {
	Bounds     bounds
	Currencies map[string]currency
	Rates      []string
	Fees       fees
	Rails      map[string]rail
	Providers  []string
	Endpoints  []offer
	Routes     []rule

	lines map[string]int // of the entries of each section, as line names them
}

// bounds are a least and a greatest amount; nil: not set.
type bounds struct{ Min, Max *payments.Decimal }

// UnmarshalYAML implements yaml.Unmarshaler.
func (b *bounds) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: bounds must be a mapping such as { max: 100.00 }", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var read amount
		if err := read.UnmarshalYAML(n.Content[i+1]); err != nil {
			return err
		}
		switch key := n.Content[i]; key.Value {
		case "min":
			b.Min = read.Decimal
		case "max":
			b.Max = read.Decimal
		default:
			return fmt.Errorf("line %d: bounds have the keys min and max, not %.40q", key.Line, key.Value)
		}
	}
	return nil
}

// An amount is a decimal number as it is written: 1.00 never passes through a float.
type amount struct{ *payments.Decimal }

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *amount) UnmarshalYAML(n *yaml.Node) error {
	read, err := payments.ParseDecimal(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: an amount %w; it is %.40q", n.Line, err, n.Value)
	}
	a.Decimal = &read
	return nil
}

type currency struct {
	Decimals   *int
	Bounds     bounds
	DecimalsOn map[string]int `yaml:"decimalsOn"` // on rails that differ
}

// fees are what a transfer costs.
type fees struct {
	Currency      string
	Bank, Network amount // for each side, in Currency
	Conversion    amount // share of the source amount
}

type rail struct {
	Kind       Kind
	Settlement *int // seconds
}

// An offer is a currency on a rail: one side of routes.
type offer struct {
	Rail, Currency, Provider string
	Source, Destination      side
}

// A side says whether an endpoint can be one side of routes, and between which bounds.
type side struct {
	excluded bool
	bounds   bounds
}

// UnmarshalYAML reads true, false, or bounds, which imply true.
func (s *side) UnmarshalYAML(n *yaml.Node) error {
	var is bool
	if n.Kind != yaml.MappingNode {
		err := n.Decode(&is)
		s.excluded = !is
		return err
	}
	return s.bounds.UnmarshalYAML(n)
}

// A rule makes a route of every pair of endpoints that fits it.
type rule struct {
	Flow     payments.FlowType
	From, To pattern
	// Same and Different name the parts that both sides must share, and in which they must differ.
	Same, Different words
	BothWays        bool `yaml:"bothWays"`
}

// A pattern describes endpoints. What is empty fits all.
type pattern struct {
	Kind                     Kind
	Rail, Currency, Provider words
}

// words are a word or a list of words.
type words []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// Limits of a catalogue, so that a small file cannot cause unbounded work.
const (
	maxNames   = 256 // of each kind: currencies, rails, providers, endpoints, rules
	maxRoutes  = 20_000
	maxSeconds = 365 * 24 * 60 * 60
)

// readDocument reads the one YAML document of a file. Unknown and repeated keys are errors.
func readDocument(source []byte) (*document, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	decoder.KnownFields(true)
	d := &document{lines: map[string]int{}}
	if err := decoder.Decode(d); errors.Is(err, io.EOF) {
		return nil, &Error{Reason: "the catalogue is empty"}
	} else if err != nil {
		return nil, yamlError(err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, &Error{Reason: "a catalogue is one YAML document; this has a second"}
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(source, &tree); err != nil {
		return nil, yamlError(err)
	}
	d.findLines(tree.Content[0])
	return d, nil
}

// findLines remembers the lines of the sections and of their entries.
func (d *document) findLines(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		section, value := root.Content[i].Value, root.Content[i+1]
		d.lines[section] = root.Content[i].Line
		for at, entry := range value.Content {
			switch {
			case value.Kind == yaml.SequenceNode:
				d.lines[line(section, strconv.Itoa(at))] = entry.Line
			case at%2 == 0:
				d.lines[line(section, entry.Value)] = entry.Line
			}
		}
	}
}

// line names an entry of a section: by its key, or by its index.
func line(section, entry string) string { return section + "\n" + entry }

// at returns an error about an entry of a section, or about the section if the entry is empty. Load adds the file's
// name.
func (d *document) at(section, entry, format string, args ...any) error {
	known, ok := d.lines[line(section, entry)]
	if !ok {
		known = d.lines[section]
	}
	return &Error{Line: known, Reason: fmt.Sprintf(format, args...)}
}

// yamlError says where and why the library refuses a file; only the first of several reasons.
func yamlError(err error) error {
	// The library has the line in no other place than its message. Compiled here: only a wrong file needs them.
	yamlMessage := regexp.MustCompile(`(?s)^(?:yaml: )?(?:unmarshal errors:\n  )?line (\d+): ([^\n]*)`)
	unknownKey := regexp.MustCompile(`^field (.{0,40}).* not found in type routes\.(\w+)$`)
	parts := yamlMessage.FindStringSubmatch(err.Error())
	if parts == nil {
		return &Error{Reason: "this is not a catalogue in YAML: " + err.Error()}
	}
	reason := parts[2]
	if key := unknownKey.FindStringSubmatch(reason); key != nil {
		reason = fmt.Sprintf("a %s has no key %q", key[2], key[1])
	}
	number, _ := strconv.Atoi(parts[1])
	return &Error{Line: number, Reason: reason}
}
