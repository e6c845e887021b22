// Package catalogue is the routes that the reference service offers, as data, and their pricing. The built-in catalogue
// is catalogue.yaml, whose comments describe the form; Load reads one of a user's own.
package catalogue

import (
	"bytes"
	_ "embed" // for catalogue.yaml
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// Kind says what a rail moves.
type Kind string

// The kinds of rail.
const (
	// KindFiat is a bank payment scheme.
	KindFiat Kind = "fiat"
	// KindChain is a blockchain.
	KindChain Kind = "chain"
)

// A Rail is a payment scheme or network.
type Rail struct {
	Name string
	Kind Kind
	// SettlementSeconds is how long a payment takes to become final.
	SettlementSeconds int
}

// An Endpoint is a currency on a rail: one side of routes.
type Endpoint struct {
	Rail, Currency, Provider string
	Kind                     Kind
	// Decimals is the most digits behind the point that an amount may have here.
	Decimals int
	// SettlementSeconds is the rail's.
	SettlementSeconds int
	// IsSource and IsDestination say which sides of a route it can be.
	IsSource, IsDestination bool
}

// String is rail:CURRENCY, one half of a routeKey.
func (e Endpoint) String() string { return e.Rail + ":" + e.Currency }

// A Catalogue is a checked set of routes. It never changes, so any number of goroutines may use it.
type Catalogue struct {
	rails     []Rail
	endpoints map[endpointKey]Endpoint
	routes    []Route // by source, then by destination, in the file's order
	byKey     map[string]int
	selection selection
}

type endpointKey struct{ rail, currency string }

// MaxFileBytes is the largest catalogue file that Load reads.
const MaxFileBytes = 4 << 20

const defaultFile = "catalogue.yaml"

//go:embed catalogue.yaml
var defaultSource []byte

var loadDefault = sync.OnceValues(func() (*Catalogue, error) { return parse(defaultFile, defaultSource) })

// Default is the built-in catalogue. It is read at the first call; later calls return the same one. The error is an
// *Error.
func Default() (*Catalogue, error) { return loadDefault() }

// Load reads a catalogue file of at most MaxFileBytes. The error is an *Error.
func Load(path string) (*Catalogue, error) {
	source, err := read(path)
	if err != nil {
		return nil, &Error{File: path, Reason: "the catalogue cannot be read: " + reason(err), Err: err}
	}
	if len(source) > MaxFileBytes {
		return nil, &Error{File: path, Reason: fmt.Sprintf("the catalogue is larger than %d bytes", MaxFileBytes)}
	}
	return parse(path, source)
}

// read stops one byte past the limit, which tells a file that is too large from one that just fits.
func read(path string) (source []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
}

// reason is a system error without the path, which the Error already has.
func reason(err error) string {
	if pathError := (*os.PathError)(nil); errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

func parse(file string, source []byte) (*Catalogue, error) {
	c, err := decode(source)
	if err == nil {
		return c, nil
	}
	refusal := &Error{Reason: err.Error(), Err: err}
	errors.As(err, &refusal)
	refusal.File = file
	return nil, refusal
}

func decode(source []byte) (*Catalogue, error) {
	var tree, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	if err := decoder.Decode(&tree); errors.Is(err, io.EOF) {
		return nil, &Error{Reason: "the catalogue is empty"}
	} else if err != nil {
		return nil, syntaxError(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, at(&more, "a catalogue is one YAML document; this begins a second")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(err)
	}
	d, err := readDocument(tree.Content[0])
	if err != nil {
		return nil, err
	}
	return compile(d)
}

// syntaxError takes the line out of the YAML reader's message, the only place where it stands.
func syntaxError(err error) error {
	e := &Error{Line: 1, Column: 1, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	if _, scanErr := fmt.Sscanf(e.Reason, "line %d:", &e.Line); scanErr == nil {
		_, e.Reason, _ = strings.Cut(e.Reason, ": ")
	}
	e.Reason = "this is not well-formed YAML: " + e.Reason
	return e
}

// Rails lists the rails in the catalogue's order.
func (c *Catalogue) Rails() []Rail { return slices.Clone(c.rails) }

// Endpoint finds a currency on a rail.
func (c *Catalogue) Endpoint(rail, currency string) (Endpoint, bool) {
	e, ok := c.endpoints[endpointKey{rail, currency}]
	return e, ok
}

// Route finds a route by its routeKey.
func (c *Catalogue) Route(key string) (Route, bool) {
	i, ok := c.byKey[key]
	if !ok {
		return Route{}, false
	}
	return c.routes[i], true
}

// A Route is a route with its terms, by which Quote prices transfers.
type Route struct {
	payments.Route
	Source, Destination Endpoint
	// Terms is the route's element of transactionsInfo. Its fees are shared between all copies: read only.
	Terms payments.TransactionInfo

	price pricing
}
