package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// An Audit is told of every answer, from many goroutines at once.
type Audit interface {
	// Answered is called when an answer has been given, or the connection cut in its place.
	Answered(Exchange)
}

// An Exchange is an answer that was given, and what it answered.
type Exchange struct {
	// Operation is nil when the contract has none of the method and path.
	Operation    *contract.Operation
	Method, Path string
	// Status is 0 when no answer was made.
	Status int
	// Problem is the kind of problem that the answer is; empty when it is none.
	Problem   payments.Kind
	RequestID string
	// Faults are what the sandbox let go wrong, as rules such as createAutoTransfer=drop.
	Faults []string
	// Violations are where the answer breaks the contract. Only under Config.Check are they looked for, and not in
	// answers that a fault was asked to damage, or whose client went away.
	Violations []contract.Violation
}

// watch answers a request and tells what became of it, if anybody wants to know.
func (s *server) watch(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter, *http.Request)) {
	if !s.watched {
		answer(w, r)
		return
	}
	a := &audited{ResponseWriter: w, server: s, began: time.Now(), cut: true}
	r = r.WithContext(context.WithValue(r.Context(), auditKey{}, a))
	defer func() { a.end(r) }()
	answer(a, r)
	a.cut = false
}

type auditKey struct{}

// audit is where an answer is watched; nil when nobody does. It costs nothing then.
func (s *server) audit(r *http.Request) *audited {
	if !s.watched {
		return nil
	}
	a, _ := r.Context().Value(auditKey{}).(*audited)
	return a
}

// audited watches one answer.
type audited struct {
	http.ResponseWriter
	server *server
	began  time.Time
	done   Exchange

	header     http.Header
	body       bytes.Buffer
	stream     *contract.EventStream
	violations []contract.Violation

	cut     bool // the connection was
	gone    bool // the client was, before it had everything
	damaged bool // a fault was asked to damage the answer
}

// failed notes the problem that is the answer.
func (a *audited) failed(problem *payments.Problem) {
	if a != nil {
		a.done.Problem = problem.Kind()
	}
}

// fault notes a fault that happens to an operation.
func (a *audited) fault(op *contract.Operation, rule payments.SandboxFault) {
	if a == nil {
		return
	}
	rule.Operation, rule.Times, rule.Percent = op.ID, 0, 0 // what happened, not what was to
	switch rule.Action {
	case payments.SandboxFaultActionReset, payments.SandboxFaultActionDrop, payments.SandboxFaultActionTruncate, payments.SandboxFaultActionMalformed:
		a.damaged = true
	}
	a.done.Faults = append(a.done.Faults, rule.Rule())
}

// WriteHeader implements http.ResponseWriter.
func (a *audited) WriteHeader(status int) {
	if a.done.Status == 0 && status >= http.StatusOK {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *audited) begin(status int) {
	a.done.Status = status
	if !a.server.Check {
		return
	}
	a.header = a.Header().Clone()
	if a.header.Get("Content-Type") == mediaEventStream {
		a.stream = &contract.EventStream{Event: (&laws{}).message}
	}
}

// Write implements http.ResponseWriter.
func (a *audited) Write(p []byte) (int, error) {
	if a.done.Status == 0 {
		a.begin(http.StatusOK)
	}
	switch {
	case a.stream != nil: // it is not kept: it may never end
		if found := a.stream.Check(p); len(a.violations) < contract.MaxReported {
			a.violations = append(a.violations, found...)
		}
	case a.server.Check:
		a.body.Write(p)
	}
	n, err := a.ResponseWriter.Write(p)
	a.gone = a.gone || err != nil
	return n, err
}

// Unwrap lets http.ResponseController reach what is beneath.
func (a *audited) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// end tells what became of the request.
func (a *audited) end(r *http.Request) {
	a.done.Operation, a.done.Method, a.done.Path = operation(r), r.Method, r.URL.EscapedPath()
	a.done.RequestID = a.Header().Get(headerRequestID)
	if a.done.Status == 0 && r.Context().Err() != nil {
		a.gone = true
	}
	if a.done.Status == 0 && !a.cut && !a.gone {
		a.begin(http.StatusOK) // net/http answers so when a handler says nothing
	}
	if a.server.Check && !a.damaged && !a.gone {
		a.check(r)
	}
	if a.server.Audit != nil {
		a.server.Audit.Answered(a.done)
	}
	if log := a.server.Log; log.Enabled(r.Context(), slog.LevelDebug) {
		log.LogAttrs(r.Context(), slog.LevelDebug, "request", append(a.attributes(), slog.Duration("took", time.Since(a.began)))...)
	}
}

func (a *audited) check(r *http.Request) {
	switch {
	case a.cut:
		a.violations = append(a.violations, contract.Violation{Pointer: "", Reason: "the connection was cut in place of an answer"})
	case a.stream == nil:
		exchange := contract.Exchange{
			Operation: a.done.Operation, Method: a.done.Method, Path: a.done.Path, Status: a.done.Status, Header: a.header, Body: a.body.Bytes(),
		}
		a.violations = exchange.Check()
		if len(a.violations) == 0 && a.done.Status < http.StatusMultipleChoices {
			a.violations = (&laws{}).check(a.done.Operation, a.body.Bytes())
		}
	}
	a.done.Violations = a.violations
	for _, violation := range a.violations {
		a.server.Log.LogAttrs(r.Context(), slog.LevelError, "an answer breaks the contract",
			append(a.attributes(), slog.String("pointer", violation.Pointer), slog.String("reason", violation.Reason))...)
	}
}

// longestSegment is the most bytes of a segment of a path that is logged: identifiers are shorter, tokens longer.
const longestSegment = 40

// loggable is a path without what may be a credential in a place where none belongs.
func loggable(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if len(segment) > longestSegment {
			segments[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}

// attributes tell of the request in the log. Headers, queries and bodies, where secrets are, never get there.
func (a *audited) attributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("method", a.done.Method), slog.String("path", loggable(a.done.Path)), slog.Int("status", a.done.Status)}
	add := func(name, value string) {
		if value != "" {
			attributes = append(attributes, slog.String(name, value))
		}
	}
	if a.done.Operation != nil {
		add("operation", a.done.Operation.ID)
	}
	add("world", a.Header().Get(headerWorld))
	add("problem", string(a.done.Problem))
	add("requestId", a.done.RequestID)
	add("fault", strings.Join(a.done.Faults, " "))
	return attributes
}

// operation is the contract's of a request that the mux has found a path for.
func operation(r *http.Request) *contract.Operation {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(contract.Operations, func(op *contract.Operation) bool { return op.Path == r.Pattern && op.Method == method })
	if i < 0 {
		return nil
	}
	return contract.Operations[i]
}
