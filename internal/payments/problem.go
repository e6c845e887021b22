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
	ProblemValidation           ProblemType = "validation-error"
	ProblemMalformed            ProblemType = "malformed-request"
	ProblemUnauthenticated      ProblemType = "unauthenticated"
	ProblemInsufficientScope    ProblemType = "insufficient-scope"
	ProblemKYCRequired          ProblemType = "kyc-required"
	ProblemTooManyClients       ProblemType = "too-many-clients"
	ProblemCrossOrigin          ProblemType = "cross-origin-request"
	ProblemNotFound             ProblemType = "not-found"
	ProblemMethodNotAllowed     ProblemType = "method-not-allowed"
	ProblemNotAcceptable        ProblemType = "not-acceptable"
	ProblemConflict             ProblemType = "conflict"
	ProblemInvalidState         ProblemType = "invalid-state"
	ProblemRouteMismatch        ProblemType = "route-mismatch"
	ProblemLimitExceeded        ProblemType = "limit-exceeded"
	ProblemKeyInUse             ProblemType = "idempotency-key-in-use"
	ProblemReferenceInUse       ProblemType = "reference-in-use"
	ProblemGone                 ProblemType = "gone"
	ProblemPreconditionFailed   ProblemType = "precondition-failed"
	ProblemRequestTimeout       ProblemType = "request-timeout"
	ProblemContentTooLarge      ProblemType = "content-too-large"
	ProblemURITooLong           ProblemType = "uri-too-long"
	ProblemUnsupportedMediaType ProblemType = "unsupported-media-type"
	ProblemExpectationFailed    ProblemType = "expectation-failed"
	ProblemMisdirected          ProblemType = "misdirected-request"
	ProblemKeyReuse             ProblemType = "idempotency-key-reuse"
	ProblemRateLimited          ProblemType = "rate-limited"
	ProblemHeaderTooLarge       ProblemType = "header-fields-too-large"
	ProblemInternal             ProblemType = "internal-error"
	ProblemNotImplemented       ProblemType = "not-implemented"
	ProblemUnavailable          ProblemType = "unavailable"
	ProblemHTTPVersion          ProblemType = "http-version-not-supported"
)

// A ProblemDescription describes a type of problem.
type ProblemDescription struct {
	Type   ProblemType
	Status int
	Title  string
}

// ProblemDescriptions describes the types of problem of the service.
var ProblemDescriptions = []ProblemDescription{
	{ProblemValidation, 400, "One or more validation errors occurred."},
	{ProblemMalformed, 400, "The request could not be read."},
	{ProblemUnauthenticated, 401, "Authentication is required."},
	{ProblemInsufficientScope, 403, "The token does not allow this."},
	{ProblemKYCRequired, 403, "The account's identity check is not approved."},
	{ProblemTooManyClients, 403, "The service has room for no further client."},
	{ProblemCrossOrigin, 403, "Web pages of other origins cannot use the service."},
	{ProblemNotFound, 404, "Not found."},
	{ProblemMethodNotAllowed, 405, "The path has no such method."},
	{ProblemNotAcceptable, 406, "No acceptable form of the answer."},
	{ProblemConflict, 409, "The request conflicts with the present state."},
	{ProblemInvalidState, 409, "The state does not allow this."},
	{ProblemRouteMismatch, 409, "The route does not lead to the contact."},
	{ProblemLimitExceeded, 409, "The amount is outside the route's bounds."},
	{ProblemKeyInUse, 409, "A request with this idempotency key is still running."},
	{ProblemReferenceInUse, 409, "The reference belongs to another transfer."},
	{ProblemGone, 410, "What was asked for is no longer kept."},
	{ProblemPreconditionFailed, 412, "A precondition failed."},
	{ProblemRequestTimeout, 408, "The request took too long to arrive."},
	{ProblemContentTooLarge, 413, "The request body is too large."},
	{ProblemURITooLong, 414, "The request target is too long."},
	{ProblemUnsupportedMediaType, 415, "The media type is not supported."},
	{ProblemExpectationFailed, 417, "The expectation cannot be met."},
	{ProblemMisdirected, 421, "The service does not answer for this host."},
	{ProblemKeyReuse, 422, "The idempotency key was used with another request."},
	{ProblemRateLimited, 429, "Too many requests."},
	{ProblemHeaderTooLarge, 431, "The request's header is too large."},
	{ProblemInternal, 500, "The service failed."},
	{ProblemNotImplemented, 501, "The service does not know this."},
	{ProblemUnavailable, 503, "The service is unavailable."},
	{ProblemHTTPVersion, 505, "The version of HTTP is not supported."},
}

// Describe returns the description of a kind of problem of the service. An unknown kind counts as an internal error.
func Describe(kind ProblemType) ProblemDescription {
	i := slices.IndexFunc(ProblemDescriptions, func(d ProblemDescription) bool { return d.Type == kind })
	if i < 0 {
		return Describe(ProblemInternal)
	}
	return ProblemDescriptions[i]
}

// ProblemType returns the type of the problem, from its type URI.
func (p *Problem) ProblemType() ProblemType {
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
	r := NewProblem(ProblemValidation, "The request body failed validation.")
	r.Errors = fields
	return r
}

// NotFound returns the problem of an unknown identifier. What is the resource, such as "account".
func NotFound(what, id string) *ProblemError {
	return NewProblem(ProblemNotFound, "There is no %s %q.", what, id)
}

// IsProblem reports whether an error is a problem of a type.
func IsProblem(err error, kind ProblemType) bool {
	refusal, ok := errors.AsType[*ProblemError](err)
	return ok && refusal.ProblemType() == kind
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
	// ProblemUnreachable means that there was no connection. Nothing was sent.
	ProblemUnreachable ProblemType = LocalPrefix + "unreachable"
	// ProblemUnusable means that the response of a read is missing or unusable.
	ProblemUnusable ProblemType = LocalPrefix + "unusable-answer"
	// ProblemRefused means that the service or a proxy refused without a problem document.
	ProblemRefused ProblemType = LocalPrefix + "refused"
	// ProblemOutcomeUnknown means that a write was sent and may have taken effect.
	ProblemOutcomeUnknown ProblemType = LocalPrefix + "outcome-unknown"
	// ProblemTimeout means that a read had no response in time.
	ProblemTimeout ProblemType = LocalPrefix + "timeout"
	// ProblemMoved means that a call was answered with a redirect, and had no effect. Redirects are not followed.
	ProblemMoved ProblemType = LocalPrefix + "not-followed"
	// ProblemInsecure means that the base URL is plain http to another machine.
	ProblemInsecure ProblemType = LocalPrefix + "insecure-transport"
	// ProblemCredential means that the credential cannot be sent in a header.
	ProblemCredential ProblemType = LocalPrefix + "unusable-credential"
	// ProblemInvalidRequest means that the call cannot be an HTTP request.
	ProblemInvalidRequest ProblemType = LocalPrefix + "invalid-request"
	// ProblemInvalidSettings means that the settings of a client cannot work.
	ProblemInvalidSettings ProblemType = LocalPrefix + "invalid-settings"
	// ProblemJournal means that a write could not be recorded in the journal. Nothing was sent.
	ProblemJournal ProblemType = LocalPrefix + "journal-unusable"
	// ProblemReferenceReused means that the reference or key of a new transfer belongs to one with other content.
	ProblemReferenceReused ProblemType = LocalPrefix + "reference-reused"
	// ProblemExternalIDUsed means that an external id belongs to something else.
	ProblemExternalIDUsed ProblemType = LocalPrefix + "external-id-used"
	// ProblemPaidTwice means that a reference has several transfers.
	ProblemPaidTwice ProblemType = LocalPrefix + "paid-twice"
	// ProblemBeingSent means that another program is sending the same write.
	ProblemBeingSent ProblemType = LocalPrefix + "being-sent"
	// ProblemAlreadySent means that a write was done before, and its effect cannot be read.
	ProblemAlreadySent ProblemType = LocalPrefix + "already-sent"
	// ProblemClosed means that a person has closed a write. It is not sent again.
	ProblemClosed ProblemType = LocalPrefix + "closed"
	// ProblemHeldBack means that a limit of the profile holds a payment back. A person may confirm ProblemAboveLimit.
	ProblemHeldBack   ProblemType = LocalPrefix + "held-back"
	ProblemAboveLimit ProblemType = LocalPrefix + "above-limit"
	// ProblemPayeeChanged means that a contact differs from the last payee with the same name.
	ProblemPayeeChanged ProblemType = LocalPrefix + "payee-changed"
	// ProblemNoSandbox means that the service has no sandbox. Only the reference service has one.
	ProblemNoSandbox ProblemType = LocalPrefix + "no-sandbox"
)

// Sentence turns an error's text into a sentence. It starts with a capital letter, unless the first word is a name, and
// ends with a full stop. An empty text stays empty.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, _, _ := strings.Cut(text, " ")
	isName := first == "payctl" || strings.ContainsFunc(first, func(c rune) bool { return c < 'a' || c > 'z' })
	if first != "" && !isName {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
