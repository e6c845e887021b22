package paytest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
)

// A Script decides what becomes of each request, before the service sees it. It has to call one method of the call,
// and may be called by several goroutines.
type Script func(*Call)

// A Call is a request on its way to the service.
type Call struct {
	Request *http.Request
	Body    []byte
	// Operation is the operationId; empty if the document has no such operation.
	Operation string
	// Number counts the requests of this operation, from 1.
	Number int

	w       http.ResponseWriter
	service http.Handler
}

// Answer lets the service answer.
func (c *Call) Answer() { c.service.ServeHTTP(c.w, c.Request) }

// LoseRequest ends the connection before the service has seen the request.
func (c *Call) LoseRequest() {
	connection, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 ends the stream
	}
	_ = connection.Close()
}

// LoseResponse lets the service act, and ends the connection without its response.
func (c *Call) LoseResponse() {
	c.service.ServeHTTP(httptest.NewRecorder(), c.Request)
	c.LoseRequest()
}

// Problem answers with a problem in place of the service.
func (c *Call) Problem(status int, kind payments.ProblemType) {
	document, _ := json.Marshal(map[string]any{"type": "https://x.test/problems/" + string(kind), "title": string(kind), "status": status})
	c.Reply(status, "application/problem+json", string(document))
}

// Reply answers in place of the service.
func (c *Call) Reply(status int, contentType, body string) {
	c.w.Header().Set("Content-Type", contentType)
	c.w.WriteHeader(status)
	_, _ = io.WriteString(c.w, body)
}

// Header are the header fields of the answer, for a script that adds some before it answers.
func (c *Call) Header() http.Header { return c.w.Header() }

// Edit lets the service answer, and changes its JSON before the client sees it.
func (c *Call) Edit(change func(document map[string]any)) {
	answer := httptest.NewRecorder()
	c.service.ServeHTTP(answer, c.Request)
	body := answer.Body.Bytes()
	var document map[string]any
	if json.Unmarshal(body, &document) == nil {
		change(document)
		body, _ = json.Marshal(document)
	}
	for name, values := range answer.Header() {
		if name != "Content-Length" {
			c.w.Header()[name] = values
		}
	}
	c.w.WriteHeader(answer.Code)
	_, _ = c.w.Write(body)
}

// front has a script before a service, and counts.
type front struct {
	service http.Handler

	mu     sync.Mutex
	script Script
	counts map[string]int
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation := ""
	if route, _, err := findRoute(r); err == nil {
		operation = route.Operation.OperationID
	}
	f.mu.Lock()
	f.counts[operation]++
	call := &Call{Request: r, Operation: operation, Number: f.counts[operation], w: w, service: f.service}
	script := f.script
	f.mu.Unlock()
	if script == nil {
		call.Answer()
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		call.LoseRequest()
		return
	}
	call.Body, r.Body = body, io.NopCloser(bytes.NewReader(body))
	script(call)
}

// SetScript has a script decide about the requests from now on, and counts them anew. With nil the service answers.
func (s *Service) SetScript(script Script) {
	s.front.mu.Lock()
	defer s.front.mu.Unlock()
	s.front.script, s.front.counts = script, map[string]int{}
}

// Count returns how many requests of some operations came since the script was set; of all if none is named.
func (s *Service) Count(operations ...string) (n int) {
	s.front.mu.Lock()
	defer s.front.mu.Unlock()
	if len(operations) == 0 {
		for _, count := range s.front.counts {
			n += count
		}
	}
	for _, operation := range operations {
		n += s.front.counts[operation]
	}
	return n
}
