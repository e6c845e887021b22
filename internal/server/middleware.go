package server

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A request passes ServeHTTP, answer, serve, serveOperation and the handler of its operation. Each answers the request
// or passes it on.

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.config.As != nil {
		s.imitate(w, r)
		return
	}
	s.answer(w, r, nil, nil)
}

// answer answers every request and records the response. It bounds the open requests. If op is nil, the path decides
// the operation. A refusal is answered when the client is known.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, op *contract.Operation, refusal error) {
	x := s.newExchange(w, r)
	x.op, x.refusal = op, refusal
	if s.reports {
		defer x.report()
	}
	defer x.recoverPanic()
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
		x.serve()
	default:
		problem := payments.NewProblem(payments.ProblemUnavailable, "The service has %d open requests, which is its limit.",
			cap(s.open))
		problem.RetryAfter = time.Second
		x.sendProblem(problem)
	}
}

// serve refuses requests that are wrong for any operation.
func (x *exchange) serve() {
	err := x.checkRequest()
	switch {
	case err != nil:
		x.sendProblem(err)
	case x.op != nil:
		x.serveOperation()
	case !isCleanPath(x.r.URL.Path): // the mux would redirect
		x.notFound()
	default:
		x.server.mux.ServeHTTP(&x.response, x.r)
	}
}

// methodHandler returns the handler of a path. It finds the operation by the method.
func methodHandler(operations map[string]*contract.Operation) http.HandlerFunc {
	allowed := allowedMethods(operations)
	return func(w http.ResponseWriter, r *http.Request) {
		x := w.(*responseRecorder).exchange
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet // net/http drops the body
		}
		switch op := operations[method]; {
		case op != nil:
			x.op = op
			x.serveOperation()
		case method == http.MethodOptions:
			x.sendOptions(allowed, operations[http.MethodPatch])
		default:
			problem := payments.NewProblem(payments.ProblemMethodNotAllowed, "%s has no method %s.", r.URL.Path, r.Method)
			problem.Allow = allowed
			x.sendProblem(problem)
		}
	}
}

// serveOperation answers a request to an operation. The first step that fails decides the problem.
func (x *exchange) serveOperation() {
	x.key, _ = parseIdempotencyKey(x.r.Header["Idempotency-Key"])
	err := x.authenticate()
	x.nameRequest()
	x.startRequestLog()
	err = cmp.Or(err, x.refusal)
	defer x.finishRequestLog() // also when a fault cuts the connection
	defer func() {
		if x.stopWatching != nil {
			x.stopWatching()
		}
	}()
	for i := 0; err == nil && i < len(steps); i++ {
		err = steps[i](x)
	}
	if err == nil {
		err = x.server.handlers[x.op](x)
	}
	if err != nil {
		x.sendProblem(err)
	}
	x.corruptResponse() // if a fault asks for it
}

// steps are the functions that a request passes between its session and its handler.
var steps = []func(*exchange) error{
	(*exchange).readBody, (*exchange).injectFault, (*exchange).negotiate, (*exchange).checkQuery,
	(*exchange).setPreconditions,
}

// allowedMethods lists the methods of a path, for the Allow header (RFC 9110 section 10.2.1).
func allowedMethods(operations map[string]*contract.Operation) []string {
	all := append(slices.Collect(maps.Keys(operations)), http.MethodOptions)
	if operations[http.MethodGet] != nil {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return all
}

// recoverPanic answers a panic with a problem document without internal details. The connection stays open if nothing
// was sent yet.
func (x *exchange) recoverPanic() {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it this way too
		panic(cause)
	}
	x.logFailure("panic", slog.Any("cause", cause))
	x.w = &x.response // even if a response was being buffered
	x.sendProblem(payments.NewProblem(payments.ProblemInternal, "The service failed."))
}
