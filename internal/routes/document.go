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
}

// bounds are a least and a greatest amount; nil: not set.
type bounds struct{ Min, Max amount }

// An amount is a decimal number as it is written: 1.00 never passes through a float.
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
	Kind       Kind
	Settlement int // seconds
}

// An offer is a currency on a rail: one side of routes.
type offer struct {
	Rail, Currency, Provider string
	Source, Destination      *bool // nil: it can be that side
}

// A rule makes a route of every pair of endpoints that fits it.
type rule struct {
	Flow     payments.FlowType
	From, To pattern
	// Same and Different name the parts that both sides must share, and in which they must differ.
	Same, Different words
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

// Limits of a catalogue. The contract has the same, as bounds of the response that lists it.
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
		return nil, errors.New("a catalogue is one YAML document; this has a second")
	}
	return d, nil
}

// wrong is the error of an entry of a section, which is named by its key, or by its place in the list.
func wrong(section string, entry any, format string, args ...any) error {
	return fmt.Errorf("%s[%v]: %w", section, entry, fmt.Errorf(format, args...))
}
