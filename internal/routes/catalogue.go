// Package routes holds the routes that the reference service offers, and prices transfers on them. The built-in
// catalogue is catalogue.yaml, whose comments describe the format; Load reads one of the user's own.
package routes

import (
	_ "embed" // for catalogue.yaml
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/plaintext"
)

// Kind is what a rail moves.
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
	// Decimals is the most digits after the point that an amount may have here.
	Decimals int
	// SettlementSeconds is the rail's.
	SettlementSeconds int
	// IsSource and IsDestination report which sides of a route it can be.
	IsSource, IsDestination bool
}

// String returns rail:CURRENCY, one half of a routeKey.
func (e Endpoint) String() string { return e.Rail + ":" + e.Currency }

// A Route is a route with its terms, by which Quote prices transfers.
type Route struct {
	payments.TransferRoute
	Source, Destination Endpoint
	// Terms is the route's element of transactionsInfo. Its fees are shared between all copies: read only.
	Terms payments.TransactionInfo

	price pricing
}

// A Catalogue is a checked set of routes. It never changes, so any number of goroutines may use it.
type Catalogue struct {
	endpoints map[endpointKey]Endpoint
	routes    []Route // by source, then by destination, in the file's order
	byKey     map[string]int
	selection selection
}

type endpointKey struct{ rail, currency string }

// Endpoint returns the endpoint of a currency on a rail.
func (c *Catalogue) Endpoint(rail, currency string) (Endpoint, bool) {
	e, ok := c.endpoints[endpointKey{rail, currency}]
	return e, ok
}

// Currencies returns the currencies that a rail carries, in the order of the alphabet.
func (c *Catalogue) Currencies(rail string) []string {
	var currencies []string
	for key := range c.endpoints {
		if key.rail == rail {
			currencies = append(currencies, key.currency)
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

// Error reports why a catalogue file is refused.
type Error struct {
	// File is the path as it was given; "catalogue.yaml" for the built-in catalogue.
	File string
	// Line counts from 1; zero if the error is about the file as a whole.
	Line int
	// Reason says what is wrong and what would be right.
	Reason string
	// Err is the system's error if the file could not be read, else nil.
	Err error
}

// Error implements error in the form that editors understand: file:line: reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// MaxFileBytes is the largest catalogue file that Load reads: many times the size of one with maxRoutes.
const MaxFileBytes = 4 << 20

const defaultFile = "catalogue.yaml"

//go:embed catalogue.yaml
var defaultSource []byte

var loadDefault = sync.OnceValues(func() (*Catalogue, error) { return parse(defaultFile, defaultSource) })

// Default returns the built-in catalogue. It is read at the first call. The error is an *Error.
func Default() (*Catalogue, error) { return loadDefault() }

// Load reads a catalogue file of at most MaxFileBytes. The error is an *Error.
func Load(path string) (*Catalogue, error) {
	source, err := readFile(path)
	if err != nil {
		reason := err.Error()
		if pathError := (*os.PathError)(nil); errors.As(err, &pathError) {
			reason = pathError.Err.Error() // the Error has the path
		}
		return nil, &Error{File: path, Reason: "the catalogue cannot be read: " + reason, Err: err}
	}
	if len(source) > MaxFileBytes {
		return nil, &Error{File: path, Reason: fmt.Sprintf("the catalogue is larger than %d bytes", MaxFileBytes)}
	}
	return parse(path, plaintext.Bytes(source))
}

// readFile reads at most one byte more than the limit, which shows that a file is too large.
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
	var c *Catalogue
	d, err := readDocument(source)
	if err == nil {
		err = d.check()
	}
	if err == nil {
		c, err = compile(d)
	}
	if err == nil {
		return c, nil
	}
	wrong := &Error{Reason: err.Error(), Err: err}
	errors.As(err, &wrong)
	wrong.File = file
	return nil, wrong
}
