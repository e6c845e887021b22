// Package routes has the routes of the reference service, and prices transfers on them. The built-in catalogue is
// catalogue.yaml, whose comments describe the format. Load reads a catalogue of the user.
package routes

import (
	_ "embed" // for catalogue.yaml
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// A RailKind is the kind of a rail.
type RailKind string

// The kinds of rail.
const (
	// RailFiat is a bank payment scheme.
	RailFiat RailKind = "fiat"
	// RailChain is a blockchain.
	RailChain RailKind = "chain"
)

// An Endpoint is a currency on a rail: one side of routes.
type Endpoint struct {
	Rail, Currency, Provider string
	Kind                     RailKind
	// Decimals is the most digits after the point of an amount.
	Decimals int
	// SettlementSeconds is the rail's.
	SettlementSeconds int
	// IsSource and IsDestination report which side of a route it can be.
	IsSource, IsDestination bool

	min, max money.Decimal // of an amount, in its own currency
	fee      payments.Fee  // the fixed fee of a transfer, on either side
}

// String returns rail:CURRENCY, half of a routeKey.
func (e Endpoint) String() string { return e.Rail + ":" + e.Currency }

// A Route is a route with the terms that Quote uses.
type Route struct {
	payments.TransferRoute
	Source, Destination Endpoint
	// Terms is the route's element of transactionsInfo. All copies share its fees: read only.
	Terms payments.TransactionInfo

	price pricing
}

// A Catalogue is a checked set of routes. It never changes, so any number of goroutines may use it.
type Catalogue struct {
	endpoints []Endpoint // in the file's order
	routes    []Route    // by source, then by destination, in that order
	links     []link     // of the routes
	byKey     map[string]int
	encoded   func() encoded        // what Select lists
	all       func() jsontext.Value // the answer to an empty selection
}

// An encoded is the elements of lists in JSON.
type encoded struct{ endpoints, routes, terms [][]byte }

// Endpoint returns the endpoint of a currency on a rail.
func (c *Catalogue) Endpoint(rail, currency string) (Endpoint, bool) {
	for _, e := range c.endpoints {
		if e.Rail == rail && e.Currency == currency {
			return e, true
		}
	}
	return Endpoint{}, false
}

// Endpoints returns all endpoints. The caller must not change them.
func (c *Catalogue) Endpoints() []Endpoint { return c.endpoints }

// Currencies returns the currencies of a rail.
func (c *Catalogue) Currencies(rail string) []string {
	var currencies []string
	for _, e := range c.endpoints {
		if e.Rail == rail {
			currencies = append(currencies, e.Currency)
		}
	}
	slices.Sort(currencies)
	return currencies
}

// Route returns the route with a routeKey.
func (c *Catalogue) Route(key string) (Route, bool) {
	i, ok := c.byKey[key]
	if !ok {
		return Route{}, false
	}
	return c.routes[i], true
}

// Error says why a catalogue file is refused.
type Error struct {
	// File is the path, or "catalogue.yaml" for the built-in catalogue.
	File string
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// MaxFileBytes is the largest catalogue file that Load reads. A catalogue with maxRoutes is much smaller.
const MaxFileBytes = 4 << 20

const defaultFile = "catalogue.yaml"

// DefaultSource is the file of the built-in catalogue.
//
//go:embed catalogue.yaml
var DefaultSource []byte

var loadDefault = sync.OnceValues(func() (*Catalogue, error) { return parse(defaultFile, DefaultSource) })

// Default returns the built-in catalogue, which the first call reads. The error is an *Error.
func Default() (*Catalogue, error) { return loadDefault() }

// Load reads a catalogue file of at most MaxFileBytes. The error is an *Error.
func Load(path string) (*Catalogue, error) {
	source, err := readFile(path)
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		err = failed.Err // the Error has the path
	}
	if err == nil && len(source) > MaxFileBytes {
		err = fmt.Errorf("the catalogue is larger than %d bytes", MaxFileBytes)
	}
	if err != nil {
		return nil, &Error{path, err}
	}
	return parse(path, textutil.Decode(source))
}

// readFile reads at most one byte more than the limit, so that the caller can see that a file is too large.
func readFile(path string) (source []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
}

// parse reads, checks and compiles a file.
func parse(file string, source []byte) (*Catalogue, error) {
	d, err := readDocument(source)
	if err == nil {
		err = d.check()
	}
	var c *Catalogue
	if err == nil {
		c, err = compile(d)
	}
	if err != nil {
		return nil, &Error{file, err}
	}
	return c, nil
}
