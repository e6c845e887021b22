// Package server serves the payments API over HTTP. It routes requests to operations, authenticates them and validates
// them against the contract. Every failure gets a problem document (RFC 9457). File middleware.go has the steps of a
// request, and handlers.go the handler of each operation.
package server

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
)

// Config configures a server.
type Config struct {
	Identity Identity
	// Version is the program's version in the Server header.
	Version string
	// IgnoreIdempotencyKeys simulates a service that does not honour idempotency keys.
	IgnoreIdempotencyKeys bool
	// DuplicateReferences declares in the served document that transfers may have equal references.
	DuplicateReferences bool
	// NoSandbox leaves out the sandbox operations.
	NoSandbox bool
	// Local restricts the service to requests whose Host is this machine. That keeps out web pages whose name resolves
	// to this machine (DNS rebinding).
	Local bool
	// Bounds limit what clients may use, in time and in size.
	Bounds Bounds
	// Ready returns an error if the service cannot reach its data. A nil Ready means that it always can.
	Ready func(context.Context) error
	// Log receives failures inside the service. Nil logs nothing.
	Log *slog.Logger
	// Check checks every response against the contract. Violations are logged and reported to OnResponse.
	Check bool
	// OnResponse, unless nil, is called after every response, from many goroutines.
	OnResponse func(ResponseSummary)
	// Contents gives OnResponse the contents of requests, even without a page.
	Contents bool
	// As is the service to imitate. Nil means none.
	As *servicemap.Map
}

// Server is the handler of every operation. It speaks only HTTP/1.1: faults of the sandbox cut connections.
type Server struct {
	config   Config
	handlers map[*contract.Operation]handler
	mux      *http.ServeMux
	name     []string        // the Server header
	reports  bool            // responses are logged, checked or reported
	service  context.Context // ends when the service stops; requests may still run
	open     chan struct{}   // holds an element for each request that has not been answered
	origins  http.CrossOriginProtection
	pageKey  *pageTokenKey // nil means that there is no page
}

// New returns a server for every operation of the contract.
func New(config Config) *Server {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	config.Bounds = config.Bounds.withDefaults()
	s := &Server{
		config: config, handlers: handlers(), mux: http.NewServeMux(), name: []string{"payctl/" + config.Version},
		service: context.Background(),
		open:    make(chan struct{}, config.Bounds.OpenRequests),
		pageKey: newPageKey(config),
	}
	s.reports = config.Check || config.OnResponse != nil || config.Log.Enabled(context.Background(), slog.LevelDebug)
	paths := map[string]map[string]*contract.Operation{}
	for _, op := range contract.Operations {
		if s.handlers[op] == nil {
			panic("server: no handler for " + op.ID) // the contract and this package are built together
		}
		if config.NoSandbox && op.IsSandbox() || s.hasElsewhere(op) {
			continue
		}
		if paths[op.Path] == nil {
			paths[op.Path] = map[string]*contract.Operation{}
		}
		paths[op.Path][op.Method] = op
	}
	for path, operations := range paths {
		s.mux.Handle(path, methodHandler(operations))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		if x := w.(*responseRecorder).exchange; !x.servePage() {
			x.notFound()
		}
	})
	return s
}
