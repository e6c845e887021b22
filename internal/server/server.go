// Package server puts the payments API on HTTP: it routes by the contract's operations, authenticates, validates every
// request against the contract and turns every refusal into a problem document (RFC 9457).
package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Identity knows clients and tokens.
type Identity interface {
	payments.Tokens
	// CheckAccessTokenRequest does for a token what Checks do for what it opens.
	CheckAccessTokenRequest(payments.AccessTokenRequest) payments.FieldErrors
	// OpenSession finds whose token it is. The error is a refusal when the token does not work.
	OpenSession(ctx context.Context, token string) (Session, error)
	// WatchClient is how requests with a client's credentials are watched, be those right or wrong; nil when
	// nobody watches.
	WatchClient(ctx context.Context, clientID string) (Watch, error)
}

// A Watch is how the sandbox watches the requests of a client, and lets them go wrong.
type Watch interface {
	// Now is the time by the world's clock.
	Now() time.Time
	// Instance names the present life of the client's world.
	Instance() string
	// NewRequestID names a request.
	NewRequestID() string
	// NextFault decides what goes wrong with a request: for how long it is held back, and the fault; nil: there is none.
	NextFault(operation string, takesToken bool) (delay time.Duration, fault *payments.SandboxFault)
	// LogRequest takes down a request that has been answered, with its idempotency key; empty: it has none. One that began
	// in another life than the present one is not taken down.
	LogRequest(life string, request payments.SandboxRequest, key string)
}

// A Session is what a valid token opens.
type Session struct {
	Service payments.Service
	Checks  Checks
	Scopes  []string
	World   string    // names the life of the client's world in which the session was opened
	Client  string    // its id
	Now     time.Time // by the world's clock
	// Sandbox is the world that the sandbox operations are about.
	Sandbox payments.Sandbox
	// Watch is how the sandbox watches the requests of the session; nil when it does not.
	Watch Watch
	// Expired is why the token opens the sandbox operations only; nil when it opens all that its scopes allow.
	Expired *payments.Refusal
}

// Config is what a server is made of.
type Config struct {
	Identity Identity
	// Version names the program in the Server header.
	Version string
	// Strict refuses members and query parameters that the contract does not know.
	Strict bool
	// IgnoreIdempotencyKeys plays a service that does not honour idempotency keys.
	IgnoreIdempotencyKeys bool
	// NoSandbox leaves the sandbox operations out: their paths are unknown.
	NoSandbox bool
	// NewRequestID names a request that opens no session, which is told by its method and target; nil names it at random.
	NewRequestID func(request string) string
	// Local answers requests for this machine alone, and for Hosts: names in lower case, without a port. What is for another
	// name comes from a web page that had its own name lead here.
	Local bool
	Hosts []string
	// Bounds limit what a client may take.
	Bounds Bounds
	// Log receives failures inside the service; nil logs nothing.
	Log *slog.Logger
	// Check holds every answer to the contract. What breaks it is logged, and told to Audit.
	Check bool
	// Audit is told of every answer; nil: nobody is.
	Audit Audit
	// RateLimit is how much each client may ask; nil: as much as it likes.
	RateLimit *RateLimit
}

// server is the handler.
type server struct {
	Config
	mux     *http.ServeMux
	name    []string // the Server header
	watched bool     // answers are
	limits  *limits
	running running
	large   chan struct{} // has a place for each body of a snapshot that is read at a time
}

var noSniff = []string{"nosniff"}

// New returns a handler of every operation of the contract.
func New(config Config) *Server {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.NewRequestID == nil {
		config.NewRequestID = func(string) string { return "req_" + rand.Text() }
	}
	config.Bounds = config.Bounds.WithDefaults()
	s := &server{Config: config, mux: http.NewServeMux(), name: []string{"payctl/" + config.Version}}
	s.large = make(chan struct{}, largeBodies)
	if config.RateLimit != nil {
		s.limits = newLimits(*config.RateLimit)
	}
	paths := map[string]methods{}
	for _, op := range contract.Operations {
		if s.NoSandbox && op.IsSandbox() {
			continue
		}
		handle, ok := handlers[op]
		if !ok {
			handle, ok = sandboxHandlers[op]
		}
		if !ok {
			panic("server: no handler for " + op.ID) // the contract and this package are built together
		}
		if paths[op.Path] == nil {
			paths[op.Path] = methods{}
		}
		paths[op.Path][op.Method] = endpoint{op, handle}
	}
	for path, methods := range paths {
		s.mux.Handle(path, s.dispatch(methods))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.notFound(w, r) })
	s.watched = s.Check || s.Audit != nil || s.Log.Enabled(context.Background(), slog.LevelDebug)
	return &Server{s}
}

// serve prepares every answer and keeps the mux from answering by itself.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.prepare(w.Header())
	defer s.recover(w, r)
	completeTarget(r)
	if err := s.screen(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	if r.Method == http.MethodOptions && r.RequestURI == "*" {
		s.options(w, r, knownMethods)
		return
	}
	if !clean(r.URL.Path) {
		s.notFound(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// prepare sets what every answer has.
func (s *server) prepare(header http.Header) {
	header["Server"] = s.name
	header["X-Content-Type-Options"] = noSniff
}

// clean says whether the mux would take the path as it is, without redirecting.
func clean(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	for i := 0; i+1 < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		rest := path[i+1:]
		if rest[0] == '/' || rest == "." || rest == ".." ||
			len(rest) > 1 && rest[0] == '.' && (rest[1] == '/' || len(rest) > 2 && rest[1] == '.' && rest[2] == '/') {
			return false
		}
	}
	return true
}

func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, payments.Refuse(payments.KindNotFound, "There is no path %s.", r.URL.Path))
}

// recover turns a panic into a problem without internals. The connection goes on when nothing was sent yet.
func (s *server) recover(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it this way too
		panic(cause)
	}
	s.Log.ErrorContext(r.Context(), "panic", "path", loggable(r.URL.Path), "cause", cause)
	s.fail(w, r, payments.Refuse(payments.KindInternal, "The service failed."))
}
