// Package server serves the payments API over HTTP. It routes requests to the operations of the contract, authenticates
// them, validates them against the contract and answers every failure with a problem document (RFC 9457). middleware.go
// lists the steps that a request passes.
package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/contract"
)

// Config configures a server.
type Config struct {
	Identity Identity
	// Version is the program's version in the Server header.
	Version string
	// Strict refuses members and query parameters that the contract does not define.
	Strict bool
	// IgnoreIdempotencyKeys simulates a service that does not honour idempotency keys.
	IgnoreIdempotencyKeys bool
	// DuplicateReferences declares in the served document that transfers may have equal references.
	DuplicateReferences bool
	// NoSandbox leaves out the sandbox operations: their paths do not exist.
	NoSandbox bool
	// NewRequestID returns the id of a request that belongs to no world, given its method and target. If it is nil, the
	// ids are random.
	NewRequestID func(request string) string
	// Local restricts the service to requests whose Host is this machine or one of Hosts, which are names in lower case
	// without a port. It keeps web pages out that let a name of their own resolve to this machine (DNS rebinding).
	Local bool
	Hosts []string
	// Bounds limit what a client may use, in time and in size.
	Bounds Bounds
	// StopDelay is how long the service goes on answering after it was told to stop, while it is not ready any more. Load
	// balancers learn in this time to send their requests to another server.
	StopDelay time.Duration
	// Ready returns the error with which a request would fail because the service cannot reach its data. If it is nil,
	// the service always can.
	Ready func(context.Context) error
	// Log receives failures inside the service; nil logs nothing.
	Log *slog.Logger
	// Check checks every response against the contract. Violations are logged and reported to OnResponse.
	Check bool
	// OnResponse, if it is not nil, is called after every response, from many goroutines at once.
	OnResponse func(ResponseSummary)
	// RateLimit limits the requests of each client, which Buckets count; nil sets no limit.
	RateLimit *RateLimit
	Buckets   Buckets
	// Metrics counts requests and responses; nil counts nothing.
	Metrics *Metrics
	// MetricsText returns the response to GET /metrics. If it is nil, the path does not exist.
	MetricsText func() []byte
	// MetricsOnly leaves out the operations of the contract.
	MetricsOnly bool
}

// Server is the handler of every operation. It speaks HTTP/1.1 only: on a connection of HTTP/2 the plain-text responses
// with which net/http answers broken requests could not be replaced by problem documents.
type Server struct {
	config    Config
	mux       *http.ServeMux
	name      []string // the Server header
	records   bool     // responses are counted, logged, checked or reported
	reports   bool     // responses are logged, checked or reported
	rates     *rates   // nil: no limit
	origins   http.CrossOriginProtection
	draining  atomic.Bool // the service was told to stop
	keysInUse keysInUse
	memory    heldMemory
	lists     *turns // of requests that gather a list
	snapshots *turns // of requests that take or restore a snapshot
	bodies    *turns // of other requests with a large body
}

// New returns a server for every operation of the contract.
func New(config Config) *Server {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.NewRequestID == nil {
		config.NewRequestID = func(string) string { return "req_" + rand.Text() }
	}
	config.Bounds = config.Bounds.WithDefaults()
	s := &Server{
		config: config, mux: http.NewServeMux(), name: []string{"payctl/" + config.Version},
		keysInUse: keysInUse{uses: map[keyUse]chan struct{}{}},
		memory:    heldMemory{byClient: map[string]int64{}},
		lists:     newTurns(maxLists),
		snapshots: newTurns(maxSnapshots),
		bodies:    newTurns(maxBodies),
	}
	debugs := config.Log.Enabled(context.Background(), slog.LevelDebug)
	s.reports = config.Check || config.OnResponse != nil || debugs
	s.records = s.reports || config.Metrics != nil
	if config.RateLimit != nil {
		s.rates = newRates(*config.RateLimit, config.Buckets)
	}
	paths := map[string]map[string]*contract.Operation{}
	for _, op := range contract.Operations {
		if handlers[op] == nil {
			panic("server: no handler for " + op.ID) // the contract and this package are built together
		}
		if config.MetricsOnly || config.NoSandbox && op.IsSandbox() {
			continue
		}
		if paths[op.Path] == nil {
			paths[op.Path] = map[string]*contract.Operation{}
		}
		paths[op.Path][op.Method] = op
	}
	if config.MetricsText != nil {
		paths[getMetrics.Path] = map[string]*contract.Operation{getMetrics.Method: &getMetrics}
	}
	for path, operations := range paths {
		s.mux.Handle(path, methodHandler(operations))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.(*responseRecorder).exchange.notFound() })
	return s
}

// handlers maps each operation to the function that answers it. Its error becomes a problem document.
var handlers = map[*contract.Operation]func(*exchange) error{
	&contract.CreateAccessToken:        (*exchange).handleCreateAccessToken,
	&contract.DescribeAccessToken:      (*exchange).handleDescribeAccessToken,
	&contract.RevokeAccessToken:        (*exchange).handleRevokeAccessToken,
	&contract.CreateAccount:            (*exchange).handleCreateAccount,
	&contract.ListAccounts:             (*exchange).handleListAccounts,
	&contract.GetAccount:               (*exchange).handleGetAccount,
	&contract.UpdateAccount:            (*exchange).handleUpdateAccount,
	&contract.GetKYCStatus:             (*exchange).handleGetKYCStatus,
	&contract.SubmitKYC:                (*exchange).handleSubmitKYC,
	&contract.CreateSavedContact:       (*exchange).handleCreateSavedContact,
	&contract.ListSavedContacts:        (*exchange).handleListSavedContacts,
	&contract.GetSavedContact:          (*exchange).handleGetSavedContact,
	&contract.UpdateSavedContact:       (*exchange).handleUpdateSavedContact,
	&contract.DeleteSavedContact:       (*exchange).handleDeleteSavedContact,
	&contract.SelectRoutes:             (*exchange).handleSelectRoutes,
	&contract.CreateAutoTransfer:       (*exchange).handleCreateAutoTransfer,
	&contract.ListTransfers:            (*exchange).handleListTransfers,
	&contract.GetTransfer:              (*exchange).handleGetTransfer,
	&contract.CancelTransfer:           (*exchange).handleCancelTransfer,
	&contract.ListEvents:               (*exchange).handleListEvents,
	&contract.GetHealth:                (*exchange).handleGetHealth,
	&contract.GetReadiness:             (*exchange).handleGetReadiness,
	&contract.GetProblemType:           (*exchange).handleGetProblemType,
	&getMetrics:                        (*exchange).handleGetMetrics,
	&contract.GetOpenAPIDocumentYAML:   (*exchange).handleGetOpenAPIDocumentYAML,
	&contract.GetOpenAPIDocumentJSON:   (*exchange).handleGetOpenAPIDocumentJSON,
	&contract.GetOpenAPI31DocumentYAML: (*exchange).handleGetOpenAPI31DocumentYAML,
	&contract.GetSandboxClock:          (*exchange).handleGetSandboxClock,
	&contract.SetSandboxClock:          (*exchange).handleSetSandboxClock,
	&contract.AdvanceSandboxClock:      (*exchange).handleAdvanceSandboxClock,
	&contract.SetSandboxKYC:            (*exchange).handleSetSandboxKYC,
	&contract.CreateSandboxDeposit:     (*exchange).handleCreateSandboxDeposit,
	&contract.SetSandboxTransferState:  (*exchange).handleSetSandboxTransferState,
	&contract.ListSandboxFaults:        (*exchange).handleListSandboxFaults,
	&contract.SetSandboxFaults:         (*exchange).handleSetSandboxFaults,
	&contract.ClearSandboxFaults:       (*exchange).handleClearSandboxFaults,
	&contract.ListSandboxRequests:      (*exchange).handleListSandboxRequests,
	&contract.ClearSandboxRequests:     (*exchange).handleClearSandboxRequests,
	&contract.ResetSandbox:             (*exchange).handleResetSandbox,
	&contract.GetSandboxSnapshot:       (*exchange).handleGetSandboxSnapshot,
	&contract.RestoreSandboxSnapshot:   (*exchange).handleRestoreSandboxSnapshot,
}
