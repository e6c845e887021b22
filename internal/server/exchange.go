package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// An exchange is one request and the response to it.
type exchange struct {
	server *Server
	r      *http.Request
	start  time.Time
	epoch  string // the instance of the world that the operation used last
	// ctx is the context of the operation. It is the request's, unless the operation ends with the service or a fault
	// detached it from its client.
	ctx context.Context
	// w takes the response. It is &response, or a buffer if a fault will corrupt the response.
	w        http.ResponseWriter
	response responseRecorder

	op        *contract.Operation // nil if the contract has none with this method and path
	refusal   error               // the imitated service's error, if it does not know the request
	requestID string              // set by nameRequest
	token     string              // the presented Bearer token
	session   Session             // of the token
	ofPage    bool                // the page sent the request
	allPages  bool                // its token lists the pages of all clients
	key       string              // the idempotency key; empty if malformed
	media     string              // the media type of the response that Accept prefers; empty means no preference
	body      []byte              // of the request, from readBody on

	stopWatching func() bool // set by endWithService

	fault         string                      // the rule of the injected fault, or empty
	faultAnswers  bool                        // the response is the fault's problem
	corruption    payments.SandboxFaultAction // how the fault corrupts the response, or empty
	droppedStatus int                         // the status of a response that a fault dropped

	logged   bool      // the request belongs into the world's request log
	inLog    bool      // it is there
	answer   []byte    // the body of the response, if it is one part
	began    time.Time // by the world's clock
	instance string    // of the world when the request began
}

// newExchange prepares the headers that every response has.
func (s *Server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: s, r: r, start: time.Now()}
	x.ctx = payments.WithEpoch(r.Context(), &x.epoch)
	x.response.ResponseWriter, x.response.exchange = w, x
	x.w = &x.response
	if s.config.Check {
		x.response.checked = &checkedResponse{}
	}
	header := w.Header()
	header["Server"] = s.name
	header["X-Content-Type-Options"] = noSniff
	return x
}

// subject returns the identifier in the path of an operation on one resource.
func (x *exchange) subject() string {
	return x.r.PathValue(contract.Parameters(x.op.Path)[0])
}

// nameRequest gives the request its id. It runs after authentication: each world names its own requests.
func (x *exchange) nameRequest() {
	if x.session.World != nil && !x.ofPage { // the page must not change the ids of a run with a seed
		x.requestID = x.session.World.NewRequestID()
	} else {
		x.requestID = "req_" + rand.Text()
	}
	x.w.Header()[headerRequestID] = []string{x.requestID}
}

// setWorldHeader names the instance of the world of the response. A service that simulates another one has no such
// header.
func (x *exchange) setWorldHeader(instance string) {
	if !x.server.config.IgnoreIdempotencyKeys {
		x.w.Header()[headerWorld] = []string{instance}
	}
}

// endWithService makes the operation end when the service stops. Other operations finish first.
func (x *exchange) endWithService() {
	if x.stopWatching != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(x.ctx)
	x.ctx = ctx
	service := x.server.service
	x.stopWatching = context.AfterFunc(service, func() { cancel(context.Cause(service)) })
}

// closeConnection closes the connection after the response.
func (x *exchange) closeConnection() { x.w.Header().Set("Connection", "close") }

// abort cuts the connection before the end of the response. It does not return.
func (x *exchange) abort() {
	x.response.cut = true
	panic(http.ErrAbortHandler)
}
