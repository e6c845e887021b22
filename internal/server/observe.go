package server

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

// A World is the payments API and the sandbox of one client.
type World interface {
	payments.Lists
	SelectRoutes(context.Context, payments.RouteSelection) (jsontext.Value, error)
	GetAccount(ctx context.Context, accountID string, options service.ReadOptions) (service.State[payments.Account], error)
	GetKYCStatus(ctx context.Context, accountID string, options service.ReadOptions) (service.State[payments.KYC], error)
	GetSavedContact(
		ctx context.Context, savedContactID string, options service.ReadOptions,
	) (service.State[payments.SavedContact], error)
	GetTransfer(ctx context.Context, transferID string, options service.ReadOptions) (service.State[payments.Transfer],
		error)
	CreateAccount(context.Context, payments.NewAccount, service.WriteKey) (service.Written[payments.Account], error)
	UpdateAccount(
		ctx context.Context, accountID string, patch payments.AccountPatch, key service.WriteKey,
	) (service.Written[payments.Account], error)
	SubmitKYC(
		ctx context.Context, accountID string, submission payments.KYCSubmission, key service.WriteKey,
	) (service.Written[payments.KYC], error)
	CreateSavedContact(context.Context, payments.NewSavedContact,
		service.WriteKey) (service.Written[payments.SavedContact], error)
	UpdateSavedContact(
		ctx context.Context, savedContactID string, patch payments.SavedContactPatch, key service.WriteKey,
	) (service.Written[payments.SavedContact], error)
	DeleteSavedContact(ctx context.Context, savedContactID string) error
	CreateAutoTransfer(context.Context, payments.NewAutoTransfer, service.WriteKey) (service.Written[payments.Transfer],
		error)
	CancelTransfer(ctx context.Context, transferID string, key service.WriteKey) (service.Written[payments.Transfer],
		error)

	payments.SandboxControls
	AdvanceSandboxClock(
		context.Context, payments.SandboxAdvance, service.WriteKey,
	) (service.Written[payments.SandboxClock], error)
	CreateSandboxDeposit(
		ctx context.Context, transferID string, deposit payments.SandboxDeposit, key service.WriteKey,
	) (service.Written[payments.Transfer], error)

	// The checks return the fields of a request that are wrong beyond its schema. The operations check the same.
	CheckNewSavedContact(context.Context, payments.NewSavedContact) payments.FieldErrors
	CheckNewAutoTransfer(payments.NewAutoTransfer) payments.FieldErrors

	// Now is the time by the world's clock.
	Now() time.Time
	// Instance is the instance id of the world. Each reset and restore gives it a new one.
	Instance() string
	// NewRequestID returns an id for a request.
	NewRequestID() string
	// NextFault decides the faults of a request: a delay, which may be zero, and another fault, or nil.
	NextFault(ctx context.Context, operation string, takesToken bool) (time.Duration, *payments.SandboxFault, error)
	// LogRequest logs an answered request. Its idempotency key may be empty. It does nothing if the world has a new
	// instance since the request began.
	LogRequest(instance string, request payments.SandboxRequest, key string, content payments.RequestContent)
}

// A ResponseSummary describes a request that was answered or whose connection was cut.
type ResponseSummary struct {
	// Operation is nil if the contract has no operation with this method and path.
	Operation    *contract.Operation
	Method, Path string
	// Status is 0 without a response.
	Status int
	// Problem is the kind of problem in the response, or "".
	Problem   payments.ProblemType
	RequestID string
	// Faults are the faults that the sandbox injected, as rules such as createAutoTransfer=drop.
	Faults []string
	// Checked reports whether the response was checked against the contract. Config.Check does so, unless a fault
	// corrupted the response or the client went away.
	Checked    bool
	Violations []contract.Violation
	// Began is when the request came, by the machine's clock.
	Began time.Time
	Took  time.Duration
	// Content is what the request and the response held, if the service has a page or Config.Contents is set.
	Content payments.RequestContent
}

// A responseRecorder passes a response on to net/http. It records the response for the logs, the coverage report and
// the contract check.
type responseRecorder struct {
	http.ResponseWriter
	exchange *exchange

	status  int // 0 means that none was sent yet
	problem payments.ProblemType
	faults  []string // the rules of the injected faults

	cut       bool             // the connection was cut before the end of the response
	gone      bool             // the client went away before it had everything
	corrupted bool             // a fault was asked to corrupt the response
	checked   *checkedResponse // nil means that responses are not checked
}

// A checkedResponse is what the contract check keeps of a response.
type checkedResponse struct {
	header http.Header
	body   bytes.Buffer
}

// start is called with the final status before the header is sent. The world may have a new instance after a wait or
// delay, so its header is set again.
func (w *responseRecorder) start(status int) {
	w.status = status
	if world := w.Header()[headerWorld]; len(world) > 0 && w.exchange.logged {
		world[0] = cmp.Or(w.exchange.epoch, w.exchange.session.World.Instance())
	}
	if w.Header().Get("Content-Type") != mediaEventStream {
		w.exchange.finishRequestLog()
	}
	if w.checked != nil {
		w.checked.header = w.Header().Clone()
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *responseRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.start(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *responseRecorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.start(http.StatusOK)
	}
	if w.checked != nil && w.Header().Get("Content-Type") != mediaEventStream { // a stream may never end
		w.checked.body.Write(p)
	}
	n, err := w.ResponseWriter.Write(p)
	w.gone = w.gone || err != nil
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// startRequestLog begins the entry of the request in its world's request log. Sandbox operations have none.
func (x *exchange) startRequestLog() {
	world := x.session.World
	if world == nil || x.op.IsSandbox() || x.ofPage {
		return
	}
	x.logged, x.began, x.instance = true, world.Now(), world.Instance()
}

// finishRequestLog logs the request once. It is called before the client can know that the request has ended. A client
// that then reads the log finds its request. Only event streams are logged after their end.
func (x *exchange) finishRequestLog() {
	if !x.logged || x.inLog {
		return
	}
	x.inLog = true
	x.session.World.LogRequest(x.instance, payments.SandboxRequest{
		Time: x.began, Method: x.r.Method, Path: x.r.URL.Path, Operation: x.op.ID,
		Status: cmp.Or(x.response.status, x.droppedStatus), RequestID: x.requestID, Fault: x.fault,
	}, x.key, x.content())
}

// content is what the page and the report show of a request and its response. A request for a token has no content.
func (x *exchange) content() (content payments.RequestContent) {
	if x.server.pageKey == nil && !x.server.config.Contents || x.op == nil || x.op.Access != contract.Bearer {
		return content
	}
	if len(x.body) <= payments.MaxShownBody {
		content.Sent = x.body
	}
	if len(x.answer) <= payments.MaxShownBody {
		content.Received = x.answer
	}
	if x.r.URL.RawQuery != "" {
		query := x.r.URL.Query()
		maps.DeleteFunc(query, func(name string, _ []string) bool {
			return !slices.ContainsFunc(x.op.Query, func(known contract.Member) bool { return known.Name == name })
		})
		content.Query = query.Encode()
	}
	return content
}

// report checks the response, then reports and logs it.
func (x *exchange) report() {
	config, w := &x.server.config, &x.response
	if x.ofPage {
		return
	}
	if w.status == 0 && x.r.Context().Err() != nil {
		w.gone = true
	}
	if w.status == 0 && !w.cut && !w.gone {
		w.start(http.StatusOK) // net/http does the same
	}
	summary := ResponseSummary{
		Operation: x.op, Method: x.r.Method, Path: x.r.URL.EscapedPath(), Status: w.status,
		Problem: w.problem, RequestID: w.Header().Get(headerRequestID), Faults: w.faults,
		Checked: w.checked != nil && !w.corrupted && !w.gone,
		Began:   x.start, Took: time.Since(x.start), Content: x.content(),
	}
	if summary.Checked {
		summary.Violations = x.checkResponse(summary)
		for _, violation := range summary.Violations {
			config.Log.LogAttrs(x.ctx, slog.LevelError, "a response violates the contract", append(
				x.logAttributes(),
				slog.String("place", violation.Place), slog.String("reason", violation.Reason),
			)...)
		}
	}
	if config.OnResponse != nil {
		config.OnResponse(summary)
	}
	if config.Log.Enabled(x.ctx, slog.LevelDebug) {
		config.Log.LogAttrs(x.ctx, slog.LevelDebug, "request",
			append(x.logAttributes(), slog.Duration("took", summary.Took))...)
	}
}

// checkResponse checks a response against the contract and the invariants.
func (x *exchange) checkResponse(summary ResponseSummary) []contract.Violation {
	checked := x.response.checked
	if x.response.cut {
		return []contract.Violation{{Reason: "the connection was cut before the response"}}
	}
	violations := contract.CheckResponse(summary.Operation, &payments.Response{
		Method: summary.Method, Path: summary.Path, Status: summary.Status, Header: checked.header,
		Body: checked.body.Bytes(),
	})
	if len(violations) == 0 && summary.Status < http.StatusMultipleChoices {
		violations = checkInvariants(summary.Operation, checked.body.Bytes())
	}
	return violations
}

// logAttributes describe a request in the log, without headers, query and bodies: these hold secrets.
func (x *exchange) logAttributes() (attributes []slog.Attr) {
	add := func(name, value string) {
		if value != "" {
			attributes = append(attributes, slog.String(name, value))
		}
	}
	add("method", x.r.Method)
	add("path", LoggablePath(x.r.URL.EscapedPath()))
	if x.response.status > 0 {
		attributes = append(attributes, slog.Int("status", x.response.status))
	}
	if x.op != nil {
		add("operation", x.op.ID)
	}
	add("world", x.response.Header().Get(headerWorld))
	add("problem", string(x.response.problem))
	add("requestId", x.requestID)
	add("traceId", x.traceID())
	add("fault", strings.Join(x.response.faults, " "))
	return attributes
}

// logFailure logs a failure inside the service.
func (x *exchange) logFailure(message string, cause slog.Attr) {
	x.server.config.Log.LogAttrs(x.ctx, slog.LevelError, message, append(x.logAttributes(), cause)...)
}

// traceID returns the trace id that the client sent, or "".
func (x *exchange) traceID() string {
	if headers := x.r.Header["Traceparent"]; len(headers) == 1 {
		id, _ := payments.ParseTraceparent(headers[0])
		return id
	}
	return ""
}

// maxLoggedSegment is the most bytes of a logged path segment. Identifiers are shorter, tokens are longer.
const maxLoggedSegment = 40

// LoggablePath returns a path without segments that may be misplaced credentials.
func LoggablePath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if len(segment) > maxLoggedSegment {
			segments[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}
