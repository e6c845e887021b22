package routes

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// A document is a decoded catalogue file. check.go checks its values.
type document struct {
	Bounds     bounds
	Currencies map[string]currency
	Rates      []string
	Fees       fees
	Rails      map[string]rail
	Providers  []string
	Endpoints  []offer
	Routes     []rule
}

// bounds are a least and a greatest amount. nil means not set.
type bounds struct{ Min, Max amount }

// An amount is a decimal number, read from text and never through a float.
type amount struct{ *money.Decimal }

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *amount) UnmarshalYAML(n *yaml.Node) error {
	read, err := money.ParseDecimal(n.Value)
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
	Kind       RailKind
	Settlement int // seconds
}

// An offer is a currency on a rail: one side of routes.
type offer struct {
	Rail, Currency, Provider string
	Source, Destination      *bool // nil means true
}

// A rule makes a route of every pair of endpoints that matches it.
type rule struct {
	Flow     payments.FlowType
	From, To pattern
	// Same and Different name the parts that must be the same on both sides, and those that must differ.
	Same, Different words
}

// A pattern matches endpoints. An empty field matches all.
type pattern struct {
	Kind                     RailKind
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

// Limits of a catalogue. The contract has the same limits, for the response that lists it.
const (
	maxNames   = 256 // endpoints
	maxRoutes  = 20_000
	maxSeconds = 365 * 24 * 60 * 60
)

// readDocument reads the one YAML document of a file. Unknown and repeated keys are errors.
func readDocument(source []byte) (*document, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	decoder.KnownFields(true)
	d := &document{}
	if err := decoder.Decode(d); errors.Is(err, io.EOF) {
		return nil, errors.New("the catalogue is empty")
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("a catalogue is one YAML document, but this file has two")
	}
	return d, nil
}

// wrong is an error in an entry of a section. entry is its key, or its index in a list.
func wrong(section string, entry any, format string, args ...any) error {
	return fmt.Errorf("%s[%v]: %w", section, entry, fmt.Errorf(format, args...))
}
