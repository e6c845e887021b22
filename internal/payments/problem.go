package payments

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/shell"
)

// FieldErrors maps the name of an offending field to its messages (specification heading "Errors").
type FieldErrors map[string][]string

// Add appends a message under a field's name.
func (e FieldErrors) Add(field, message string) { e[field] = append(e[field], message) }

// Names lists the fields in alphabetical order.
func (e FieldErrors) Names() []string { return slices.Sorted(maps.Keys(e)) }

// RequiredMessage is the message of a missing required field.
func RequiredMessage(field string) string { return "The " + field + " field is required." }

// A ProblemType is the last segment of a problem's type URI, such as "not-found". For a problem that payctl found
// itself it is the whole type, such as "payctl:unreachable".
type ProblemType string

// The kinds of problem that the service reports.
const (
	KindValidation           ProblemType = "validation-error"
	KindMalformed            ProblemType = "malformed-request"
	KindUnauthenticated      ProblemType = "unauthenticated"
	KindInsufficientScope    ProblemType = "insufficient-scope"
	KindKYCRequired          ProblemType = "kyc-required"
	KindTooManyClients       ProblemType = "too-many-clients"
	KindCrossOrigin          ProblemType = "cross-origin-request"
	KindNotFound             ProblemType = "not-found"
	KindMethodNotAllowed     ProblemType = "method-not-allowed"
	KindNotAcceptable        ProblemType = "not-acceptable"
	KindConflict             ProblemType = "conflict"
	KindInvalidState         ProblemType = "invalid-state"
	KindRouteMismatch        ProblemType = "route-mismatch"
	KindLimitExceeded        ProblemType = "limit-exceeded"
	KindKeyInUse             ProblemType = "idempotency-key-in-use"
	KindReferenceInUse       ProblemType = "reference-in-use"
	KindGone                 ProblemType = "gone"
	KindPreconditionFailed   ProblemType = "precondition-failed"
	KindRequestTimeout       ProblemType = "request-timeout"
	KindContentTooLarge      ProblemType = "content-too-large"
	KindURITooLong           ProblemType = "uri-too-long"
	KindUnsupportedMediaType ProblemType = "unsupported-media-type"
	KindExpectationFailed    ProblemType = "expectation-failed"
	KindMisdirected          ProblemType = "misdirected-request"
	KindKeyReuse             ProblemType = "idempotency-key-reuse"
	KindRateLimited          ProblemType = "rate-limited"
	KindHeaderTooLarge       ProblemType = "header-fields-too-large"
	KindInternal             ProblemType = "internal-error"
	KindNotImplemented       ProblemType = "not-implemented"
	KindUnavailable          ProblemType = "unavailable"
	KindHTTPVersion          ProblemType = "http-version-not-supported"
)

// A KindDescription describes a kind of problem.
type KindDescription struct {
	Kind   ProblemType
	Status int
	Title  string
}

// Kinds describes the kinds of problem of the service.
var Kinds = []KindDescription{
	{KindValidation, 400, "One or more validation errors occurred."},
	{KindMalformed, 400, "The request could not be read."},
	{KindUnauthenticated, 401, "Authentication is required."},
	{KindInsufficientScope, 403, "The token does not allow this."},
	{KindKYCRequired, 403, "The account's identity check is not approved."},
	{KindTooManyClients, 403, "The service has room for no further client."},
	{KindCrossOrigin, 403, "Web pages of other origins cannot use the service."},
	{KindNotFound, 404, "Not found."},
	{KindMethodNotAllowed, 405, "The path has no such method."},
	{KindNotAcceptable, 406, "No acceptable form of the answer."},
	{KindConflict, 409, "The request conflicts with the present state."},
	{KindInvalidState, 409, "The state does not allow this."},
	{KindRouteMismatch, 409, "The route does not lead to the contact."},
	{KindLimitExceeded, 409, "The amount is outside the route's bounds."},
	{KindKeyInUse, 409, "A request with this idempotency key is still running."},
	{KindReferenceInUse, 409, "The reference belongs to another transfer."},
	{KindGone, 410, "What was asked for is no longer kept."},
	{KindPreconditionFailed, 412, "A precondition failed."},
	{KindRequestTimeout, 408, "The request took too long to arrive."},
	{KindContentTooLarge, 413, "The request body is too large."},
	{KindURITooLong, 414, "The request target is too long."},
	{KindUnsupportedMediaType, 415, "The media type is not supported."},
	{KindExpectationFailed, 417, "The expectation cannot be met."},
	{KindMisdirected, 421, "The service does not answer for this host."},
	{KindKeyReuse, 422, "The idempotency key was used with another request."},
	{KindRateLimited, 429, "Too many requests."},
	{KindHeaderTooLarge, 431, "The request's header is too large."},
	{KindInternal, 500, "The service failed."},
	{KindNotImplemented, 501, "The service does not know this."},
	{KindUnavailable, 503, "The service is unavailable."},
	{KindHTTPVersion, 505, "The version of HTTP is not supported."},
}

// Describe returns the description of a kind of problem of the service. An unknown kind counts as an internal error.
func Describe(kind ProblemType) KindDescription {
	i := slices.IndexFunc(Kinds, func(d KindDescription) bool { return d.Kind == kind })
	if i < 0 {
		return Describe(KindInternal)
	}
	return Kinds[i]
}

// Kind returns the problem's kind, from its type URI.
func (p *Problem) Kind() ProblemType {
	if strings.HasPrefix(p.Type, LocalPrefix) {
		return ProblemType(p.Type)
	}
	return ProblemType(p.Type[strings.LastIndex(p.Type, "/")+1:])
}

// Error implements error in one line.
func (p *Problem) Error() string {
	text := p.Title
	if p.Detail != "" {
		text = strings.TrimSuffix(p.Title, ".") + ": " + p.Detail
	}
	for _, name := range p.Errors.Names() {
		text += " [" + name + ": " + strings.Join(p.Errors[name], " ") + "]"
	}
	return text
}

// A ProblemError is a problem as an error. The service reported it or the client found it itself.
type ProblemError struct {
	Problem
	// RetryAfter is how long to wait before asking again. AtOnce means that the service said zero. Zero means that it
	// did not say.
	RetryAfter time.Duration
	// Challenge is the WWW-Authenticate header of a 401 or 403.
	Challenge string
	// Allow lists the methods that a path has, for a 405.
	Allow []string
	// Document is the problem document as received. It is nil for a problem that the client found.
	Document []byte
	// Cause is the cause of a problem that the client found, such as an error of the transport, or nil.
	Cause error
	// Reason is the cause as a clause in another error's text, such as "the name pay.example is unknown". It is empty
	// if the title says enough.
	Reason string
	// Next are the next steps. Nil means that the problem's kind decides them.
	Next []shell.Hint
}

// Unwrap returns the problem and its cause.
func (e *ProblemError) Unwrap() []error {
	if e.Cause == nil {
		return []error{&e.Problem}
	}
	return []error{&e.Problem, e.Cause}
}

// GaveUp reports whether a status below 500 means that a server or proxy stopped waiting. These are 408 (RFC 9110
// section 15.5.9), 499 of nginx and 460 of AWS load balancers. The request may still take effect. Any other status
// below 500 means that it had no effect.
func GaveUp(status int) bool {
	const requestTimeout, nginxClientClosed, awsClientClosed = 408, 499, 460
	return status == requestTimeout || status == nginxClientClosed || status == awsClientClosed
}

// IsLacking reports whether an error may mean that a service does not have an operation, or has it elsewhere.
func IsLacking(err error) bool {
	problem, isProblem := errors.AsType[*ProblemError](err)
	return isProblem && (problem.Status == 404 || problem.Status == 405 || problem.Status == 501)
}

// NewProblem makes a problem of a kind. The detail is formatted as by fmt.Sprintf.
func NewProblem(kind ProblemType, format string, args ...any) *ProblemError {
	description := Describe(kind)
	return &ProblemError{Problem: Problem{
		Type:   "/problems/" + string(kind),
		Title:  description.Title,
		Status: description.Status,
		Detail: fmt.Sprintf(format, args...),
	}}
}

// NewLocalProblem makes a problem that the client found itself. The detail is formatted as by fmt.Sprintf. The cause
// may be nil.
func NewLocalProblem(kind ProblemType, cause error, title, format string, args ...any) *ProblemError {
	return &ProblemError{
		Problem: Problem{Type: string(kind), Title: title, Detail: fmt.Sprintf(format, args...)},
		Cause:   cause,
	}
}

// NewValidationProblem returns the problem of a request with invalid fields. They become the member `errors` of the 400
// response.
func NewValidationProblem(fields FieldErrors) *ProblemError {
	r := NewProblem(KindValidation, "The request body failed validation.")
	r.Errors = fields
	return r
}

// NotFound returns the problem of an unknown identifier. What is the resource, such as "account".
func NotFound(what, id string) *ProblemError {
	return NewProblem(KindNotFound, "There is no %s %q.", what, id)
}

// IsKind reports whether an error is a problem of a kind.
func IsKind(err error, kind ProblemType) bool {
	refusal, ok := errors.AsType[*ProblemError](err)
	return ok && refusal.Kind() == kind
}

// AtOnce is a Retry-After of zero. Zero means none.
const AtOnce = time.Nanosecond

// RetryAfter returns the RetryAfter of a problem, or zero.
func RetryAfter(err error) time.Duration {
	if refusal, ok := errors.AsType[*ProblemError](err); ok {
		return refusal.RetryAfter
	}
	return 0
}

// LocalPrefix begins the type of a problem that payctl found itself.
const LocalPrefix = "payctl:"

// The kinds of problem that the client finds itself. Such a kind is the whole type, so no service's type can look like
// one.
const (
	// KindUnreachable means that there was no connection. Nothing was sent.
	KindUnreachable ProblemType = LocalPrefix + "unreachable"
	// KindUnusable means that the response of a read is missing or unusable.
	KindUnusable ProblemType = LocalPrefix + "unusable-answer"
	// KindRefused means that the service or a proxy refused without a problem document.
	KindRefused ProblemType = LocalPrefix + "refused"
	// KindOutcomeUnknown means that a write was sent and may have taken effect.
	KindOutcomeUnknown ProblemType = LocalPrefix + "outcome-unknown"
	// KindTimeout means that a read had no response in time.
	KindTimeout ProblemType = LocalPrefix + "timeout"
	// KindMoved means that a call was answered with a redirect, and had no effect. Redirects are not followed.
	KindMoved ProblemType = LocalPrefix + "not-followed"
	// KindInsecure means that the base URL is plain http to another machine.
	KindInsecure ProblemType = LocalPrefix + "insecure-transport"
	// KindCredential means that the credential cannot be sent in a header.
	KindCredential ProblemType = LocalPrefix + "unusable-credential"
	// KindInvalidRequest means that the call cannot be an HTTP request.
	KindInvalidRequest ProblemType = LocalPrefix + "invalid-request"
	// KindInvalidSettings means that the settings of a client cannot work.
	KindInvalidSettings ProblemType = LocalPrefix + "invalid-settings"
	// KindJournal means that a write could not be recorded in the journal. Nothing was sent.
	KindJournal ProblemType = LocalPrefix + "journal-unusable"
	// KindReferenceReused means that the reference or key of a new transfer belongs to one with other content.
	KindReferenceReused ProblemType = LocalPrefix + "reference-reused"
	// KindExternalIDUsed means that an external id belongs to something else.
	KindExternalIDUsed ProblemType = LocalPrefix + "external-id-used"
	// KindPaidTwice means that a reference has several transfers.
	KindPaidTwice ProblemType = LocalPrefix + "paid-twice"
	// KindBeingSent means that another program is sending the same write.
	KindBeingSent ProblemType = LocalPrefix + "being-sent"
	// KindAlreadySent means that a write was done before, and its effect cannot be read.
	KindAlreadySent ProblemType = LocalPrefix + "already-sent"
	// KindClosed means that a person has closed a write. It is not sent again.
	KindClosed ProblemType = LocalPrefix + "closed"
	// KindHeldBack means that a limit of the profile holds a payment back. A person may confirm KindAboveLimit.
	KindHeldBack   ProblemType = LocalPrefix + "held-back"
	KindAboveLimit ProblemType = LocalPrefix + "above-limit"
	// KindPayeeChanged means that a contact differs from the last payee with the same name.
	KindPayeeChanged ProblemType = LocalPrefix + "payee-changed"
	// KindNoSandbox means that the service has no sandbox. Only the reference service has one.
	KindNoSandbox ProblemType = LocalPrefix + "no-sandbox"
)
