package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

// headerRequestID is the id of the request. headerWorld is the instance of the world of an authenticated response.
const (
	headerRequestID = "X-Request-Id"
	headerWorld     = "Payctl-World"
)

// Header values of many responses. A cache must not keep a client's data (RFC 9111 section 5.2.2.5). It may keep a
// resource with an entity tag if it revalidates it (section 5.2.2.4).
var (
	jsonHeader    = []string{mediaJSON}
	problemHeader = []string{mediaProblem}
	noStore       = []string{"no-store"}
	noCache       = []string{"no-cache"}
	noSniff       = []string{"nosniff"}
)

// reply sends a value as the operation's success, unless there is an error.
func (x *exchange) reply(value any, err error) error {
	if err != nil {
		return err
	}
	return x.sendJSON(x.op.Success, value)
}

// replyNoContent sends a success without a body, unless there is an error.
func (x *exchange) replyNoContent(err error) error {
	if err == nil {
		x.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// replyWrite answers a write. A creation whose resource existed before gets 200.
func replyWrite[T any](x *exchange, result service.Written[T]) error {
	if result.Replayed {
		x.w.Header().Set("Idempotency-Replayed", "true")
	}
	if result.ETag != "" {
		x.w.Header().Set("ETag", result.ETag)
	}
	status := x.op.Success
	if result.Existing {
		status = http.StatusOK
	}
	if result.Encoded != nil {
		return x.send(status, jsonHeader, result.Encoded)
	}
	return x.sendJSON(status, result.Value)
}

func (x *exchange) sendJSON(status int, value any) error {
	if text, ok := value.(jsontext.Value); ok {
		return x.send(status, jsonHeader, text)
	}
	body, err := payments.Encode(value)
	if err != nil {
		return err
	}
	return x.send(status, jsonHeader, body)
}

// errClientGone means that the client went away while it was answered.
var errClientGone = errors.New("server: the client is gone")

// send sends a response with a body.
func (x *exchange) send(status int, mediaType []string, body []byte) error {
	x.answer = body
	x.w.Header()["Content-Type"] = mediaType
	x.w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.w.WriteHeader(status)
	if _, err := x.w.Write(body); err != nil {
		return errClientGone
	}
	return nil
}

// sendOptions answers OPTIONS (RFC 9110 section 9.3.7). Patch is the operation PATCH of the path, if it has one (RFC
// 5789 section 3.1).
func (x *exchange) sendOptions(allowed []string, patch *contract.Operation) {
	header := x.w.Header()
	setAllow(header, allowed)
	if patch != nil {
		header.Set("Accept-Patch", patch.BodyMedia)
	}
	x.nameRequest()
	x.w.WriteHeader(http.StatusNoContent)
}

func setAllow(header http.Header, methods []string) { header.Set("Allow", strings.Join(methods, ", ")) }

func (x *exchange) notFound() {
	x.sendProblem(payments.NewProblem(payments.ProblemNotFound, "There is no path %s.", x.r.URL.Path))
}

// maxDetail is the most bytes of a problem's detail, which may quote the request. The contract has the same bound.
const maxDetail = 1000

// sendProblem answers with a problem document.
func (x *exchange) sendProblem(err error) {
	if errors.Is(err, errClientGone) {
		return
	}
	if x.requestID == "" {
		x.nameRequest()
	}
	problem := x.problemOf(err)
	document := problem.Problem
	document.Detail = contract.Shorten(document.Detail, maxDetail)
	if document.Type != typeBlank {
		document.Type = x.baseURL() + "/problems/" + string(document.ProblemType())
	}
	document.Instance = x.r.URL.EscapedPath()
	document.RequestID, document.TraceID = x.requestID, x.traceID()
	x.response.problem = document.ProblemType()
	body, err := payments.Encode(document)
	if err != nil {
		x.logFailure("a problem cannot be encoded", slog.Any("error", err))
		return
	}
	header := x.w.Header()
	header["Cache-Control"] = noStore
	if problem.Challenge != "" {
		header.Set("WWW-Authenticate", problem.Challenge)
	}
	if len(problem.Allow) > 0 {
		setAllow(header, problem.Allow)
	}
	if problem.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int((problem.RetryAfter+time.Second-1)/time.Second)))
	}
	_ = x.send(document.Status, problemHeader, body) // a client that is gone cannot be told
}

// malformed is the problem of a request that cannot be read.
func malformed(format string, args ...any) *payments.ProblemError {
	return payments.NewProblem(payments.ProblemMalformed, format, args...)
}

// problemOf returns an error as a problem for the client. Failures of the service are logged. The client does not learn
// their cause.
func (x *exchange) problemOf(err error) *payments.ProblemError {
	log := func(message string) { x.logFailure(message, slog.Any("error", err)) }
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		if problem.ProblemType() == payments.ProblemUnavailable && !x.faultAnswers {
			log("unavailable")
		}
		return problem
	}
	if errors.Is(err, context.Canceled) && x.ctx.Err() != nil {
		if errors.Is(context.Cause(x.ctx), context.Canceled) {
			// net/http gives no other cause if the client is gone. The effect is unknown, so no response may deny it.
			x.abort()
		}
		problem := payments.NewProblem(payments.ProblemUnavailable, "The service is stopping.")
		problem.RetryAfter = time.Second
		return problem
	}
	log("internal error")
	return payments.NewProblem(payments.ProblemInternal, "The service failed.")
}

// baseURL is the URL that the client reached the service at, without a slash at its end. It is empty if the request
// does not name a valid host.
func (x *exchange) baseURL() string {
	base := url.URL{Scheme: "http", Host: strings.TrimSuffix(x.r.Host, ":")}
	switch {
	case x.r.Host == "":
		return ""
	case x.r.TLS != nil:
		base.Scheme = "https"
	}
	return base.String()
}
