package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

func invalidRequest(format string, args ...any) *payments.ProblemError {
	return payments.NewLocalProblem(payments.ProblemInvalidRequest, nil, "The request cannot be sent.", format, args...)
}

func invalidCredential(detail string) *payments.ProblemError {
	return payments.NewLocalProblem(payments.ProblemCredential, nil, "The credential cannot be used.", "%s", detail)
}

// notMapped is the error of a call that the service map does not allow.
func notMapped(err error) *payments.ProblemError {
	if missing, isMissing := errors.AsType[*servicemap.MissingError](err); isMissing {
		problem := payments.NewProblem(payments.ProblemNotImplemented, "%s", payments.Sentence(missing.Error()))
		problem.Title, problem.Reason = "The service does not have this.",
			"the profile says that the service does not have it"
		return problem
	}
	return invalidRequest("%s Nothing was sent.", payments.Sentence(err.Error()))
}

// at names the request's path in a problem that the client found.
func (r *request) at(problem *payments.ProblemError) *payments.ProblemError {
	problem.Instance = r.url.EscapedPath()
	return problem
}

// insecure describes a base URL that would send credentials unencrypted.
func insecure(cause error, origin, reason string) *payments.ProblemError {
	return payments.NewLocalProblem(payments.ProblemInsecure, cause, "Credentials are not sent unencrypted.",
		"%s is plain http%s Use https, or --allow-insecure-http if you trust everyone on the network.", origin, reason)
}

// unreachable describes an error of the transport before there was a connection.
func (c *Client) unreachable(r *request, err error) *payments.ProblemError {
	if other, ok := errors.AsType[*notLoopbackError](err); ok {
		return r.at(insecure(err, c.origin, ", and "+other.Error()+". Nothing was sent."))
	}
	var unresolved *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var operation *net.OpError
	var proxy *ProxyError
	reason, next := c.mask(r).Text(failure(err)), "Check the base URL and the network, then try again."
	switch {
	case errors.As(err, &certificate):
		reason = "its certificate cannot be trusted (" + c.mask(r).Text(certificate.Err.Error()) + ")"
		next = "Check the base URL and this machine's clock. If the service has its own certificate authority, " +
			"name its certificate with --ca-cert FILE or the profile's ca_cert."
	case errors.As(err, &record):
		reason, next = "it does not speak TLS", "Check whether the base URL should begin with http:// or have another port."
	case errors.As(err, &proxy):
		next = "Correct " + proxy.Variable + ", or unset it to go without a proxy."
	case errors.As(err, &operation) && operation.Op == "proxyconnect":
		reason = "the proxy that the environment names cannot be used (" + c.mask(r).Text(operation.Err.Error()) + ")"
		variable, _, _ := ProxyOf(os.Getenv, c.base)
		next = "Check " + variable + ", or name the host in NO_PROXY."
	case errors.As(err, &unresolved) && unresolved.IsNotFound:
		reason, next = "the name "+c.base.Hostname()+" is unknown", "Check the base URL."
	case errors.Is(err, context.DeadlineExceeded):
		reason = "there was no connection in time"
	case settings.IsLoopback(c.base):
		next = "Start the reference service there, or name another service with --base-url."
		if c.base.Scheme == "http" {
			err = &NoLocalServiceError{Address: strings.TrimPrefix(c.origin, "http://"), cause: err}
		}
	}
	problem := payments.NewLocalProblem(payments.ProblemUnreachable, err, "The service could not be reached.",
		"%s: %s. Nothing was sent. %s", c.origin, reason, next)
	problem.Reason = reason
	return r.at(problem)
}

// A NoLocalServiceError is the cause of a payments.ProblemUnreachable if the base URL is plain http on this machine.
// The reference service can be started there.
type NoLocalServiceError struct {
	Address string // host and port, as for serve --addr
	cause   error
}

func (e *NoLocalServiceError) Error() string { return e.cause.Error() }

// Unwrap returns the error of the transport.
func (e *NoLocalServiceError) Unwrap() error { return e.cause }

// failure is the text of a network error. Of a system error it is the cause alone: URL, addresses and calls would push
// the cause off a narrow screen.
func failure(err error) string {
	call, isCall := errors.AsType[*os.SyscallError](err)
	switch {
	case isCall:
		return call.Err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	}
	return err.Error()
}

// unusable describes a missing or unreadable response. Response is nil if there was none.
func (c *Client) unusable(r *request, response *payments.Response, cause error, reason string) *payments.ProblemError {
	problem := payments.NewLocalProblem(payments.ProblemUnusable, cause, "The answer of the service cannot be used.",
		"%s %s: %s.%s Try again; if it stays so, check that the base URL %s is the service's.",
		r.method, r.url.Path, reason, c.quote(r, response), c.origin)
	problem.Reason = reason
	return r.at(c.withResponse(problem, response))
}

// refusedWithoutProblem describes an error response without a problem document whose status means that nothing was
// done.
func (c *Client) refusedWithoutProblem(r *request, response *payments.Response) *payments.ProblemError {
	from := ""
	if !isJSON(mediaType(response)) {
		from = fmt.Sprintf(" It may come from a proxy; check that the base URL %s is the service's.", c.origin)
	}
	if refused := refusedByProxy(c.base, response.Status); refused != nil {
		from = " " + payments.Sentence(refused.Error())
	}
	return r.at(c.withResponse(payments.NewLocalProblem(payments.ProblemRefused, nil, "The service refused.",
		"%s %s was answered with status %d (%s) and without a problem document.%s%s",
		r.method, r.url.Path, response.Status, http.StatusText(response.Status), c.quote(r, response), from), response))
}

// withAssumption completes a refusal that may mean that the service has an operation elsewhere, or not at all. It adds
// where payctl assumes it, and how a profile changes that.
func (c *Client) withAssumption(r *request, problem *payments.ProblemError) *payments.ProblemError {
	if r.op == nil || r.op.IsSandbox() || !payments.IsLacking(problem) ||
		problem.ProblemType() == payments.ProblemNotFound || isReferenceService(http.Header{"Server": {c.Server()}}) {
		return problem
	}
	if _, isMapped := c.config.ServiceMap.Route(r.op); isMapped {
		return problem
	}
	what, place := "the place", "METHOD /path"
	if r.op.Origin == contract.Published {
		if problem.Status == http.StatusNotFound {
			return problem // its path is published
		}
		what, place = "the method", "METHOD "+r.op.Path
	}
	problem.Detail = strings.TrimSpace(payments.Sentence(problem.Detail) + " That " + r.op.ID + " is at " + r.op.Method +
		" " +
		r.op.Path + " is an assumption: " + what + " is not published.")
	problem.Next = []shell.Hint{shell.Payctl("profile set PROFILE", "operations."+r.op.ID,
		place).With("if the service has it elsewhere")}
	return problem
}

// withResponse adds what the header of a response says about a problem. The response may be nil.
func (c *Client) withResponse(problem *payments.ProblemError, response *payments.Response) *payments.ProblemError {
	if response != nil {
		problem.Status = response.Status
		addHeaders(problem, response.Header, c.config.Now())
	}
	return problem
}

// quote returns the message of an unexpected body, or its beginning if it is JSON. The result begins with a space, or
// is "".
func (c *Client) quote(r *request, response *payments.Response) string {
	const longest = 200
	if response == nil || len(response.Body) == 0 {
		return ""
	}
	if text := words(response); text != "" && response.Status >= http.StatusBadRequest && !r.returnsToken {
		return " It says: " + strconv.Quote(c.mask(r).Text(text)) + "."
	}
	if !isJSON(mediaType(response)) {
		return ""
	}
	text := c.mask(r).Show(response.Body, r.shows(response.Status))
	return " It begins: " + strings.ToValidUTF8(text[:min(len(text), longest)], "")
}

// moved describes a redirect. No redirect is followed: credentials are for one origin, and a write is sent once.
func (c *Client) moved(r *request, response *payments.Response) *payments.ProblemError {
	to := "nowhere"
	if next, err := r.url.Parse(field(response, "Location")); err == nil {
		next.RawQuery, next.Fragment, next.User = "", "", nil
		to = c.mask(r).Text(next.String())
	}
	return r.at(c.withResponse(payments.NewLocalProblem(payments.ProblemMoved, nil, "The service has another address.",
		"%s %s was redirected (status %d) to %s. No redirect is followed. If the service is there now, make it the base URL.",
		r.method, r.url.Path, response.Status, to), response))
}

// timedOut describes a call whose time ran out before there was a response.
func (c *Client) timedOut(r *request, cause error) *payments.ProblemError {
	problem := payments.NewLocalProblem(payments.ProblemTimeout, cause, "The service did not answer in time.",
		"%s %s had no complete answer in the time it was given, %s at most. Try again, or allow more with --timeout.",
		r.method, r.url.Path, c.config.Timeout+r.wait)
	problem.Reason = "there was no complete answer in time"
	return r.at(problem)
}

// outcomeUnknown describes a write that was sent and may have taken effect. Lost is the error of the first unknown
// attempt. Later is the error of the last attempt, which does not resolve it.
func (c *Client) outcomeUnknown(r *request, lost, later error) *payments.ProblemError {
	cause, also := lost, ""
	if later != nil && !errors.Is(lost, later) {
		cause = errors.Join(lost, later)
		if forbidden, isForbidden := errors.AsType[*forbiddenError](later); isForbidden {
			later = forbidden.error
		}
		also = " Then: " + inOneSentence(later)
	}
	key := ""
	if r.key != "" {
		key = " Its idempotency key is " + r.key + "."
	}
	const title = "It is not known whether the request took effect."
	problem := payments.NewLocalProblem(payments.ProblemOutcomeUnknown, cause, title,
		"%s %s was sent, but: %s%s%s Look for what became of it before you send it with another key.",
		r.method, r.url.Path, inOneSentence(lost), also, key)
	if answered, ok := errors.AsType[*payments.ProblemError](lost); ok {
		problem.Status, problem.RetryAfter = answered.Status, answered.RetryAfter
		problem.RequestID, problem.TraceID = answered.RequestID, answered.TraceID
	}
	return r.at(problem)
}

// inOneSentence returns an error as part of another problem's detail.
func inOneSentence(err error) string {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case !ok && errors.Is(err, context.Canceled):
		return "it was interrupted before there was an answer."
	case !ok:
		return err.Error() + "."
	case problem.Reason != "":
		return problem.Reason + "."
	case problem.Status != 0:
		return fmt.Sprintf("status %d, %s", problem.Status, problem.Title)
	}
	return problem.Title
}

// interrupted is the error of a call whose context its caller ended.
func interrupted(ctx context.Context, r *request) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("%s %s was interrupted: %w (%w)", r.method, r.url.Path, context.Canceled, cause)
	}
	return fmt.Errorf("%s %s was interrupted: %w", r.method, r.url.Path, context.Canceled)
}
