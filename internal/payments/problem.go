package payments

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// FieldErrors maps the name of an offending field to its messages (specification heading "Errors").
type FieldErrors map[string][]string

// Add appends a message under a field's name.
func (e FieldErrors) Add(field, message string) { e[field] = append(e[field], message) }

// Names lists the fields in alphabetical order.
func (e FieldErrors) Names() []string { return slices.Sorted(maps.Keys(e)) }

// RequiredMessage is the message of a missing required field.
func RequiredMessage(field string) string { return "The " + field + " field is required." }

// A Kind is the last segment of a problem's type URI, such as "not-found"; of a problem that payctl found itself, such
// as an unreachable service, it is what follows "payctl:".
type Kind string

// The kinds of problem that the service reports.
const (
	KindValidation           Kind = "validation-error"
	KindMalformed            Kind = "malformed-request"
	KindUnauthenticated      Kind = "unauthenticated"
	KindInsufficientScope    Kind = "insufficient-scope"
	KindKYCRequired          Kind = "kyc-required"
	KindTooManyClients       Kind = "too-many-clients"
	KindNotFound             Kind = "not-found"
	KindMethodNotAllowed     Kind = "method-not-allowed"
	KindNotAcceptable        Kind = "not-acceptable"
	KindConflict             Kind = "conflict"
	KindInvalidState         Kind = "invalid-state"
	KindRouteMismatch        Kind = "route-mismatch"
	KindLimitExceeded        Kind = "limit-exceeded"
	KindKeyInUse             Kind = "idempotency-key-in-use"
	KindGone                 Kind = "gone"
	KindPreconditionFailed   Kind = "precondition-failed"
	KindContentTooLarge      Kind = "content-too-large"
	KindUnsupportedMediaType Kind = "unsupported-media-type"
	KindMisdirected          Kind = "misdirected-request"
	KindKeyReuse             Kind = "idempotency-key-reuse"
	KindRateLimited          Kind = "rate-limited"
	KindRequestTimeout       Kind = "request-timeout"
	KindURITooLong           Kind = "uri-too-long"
	KindExpectationFailed    Kind = "expectation-failed"
	KindHeaderTooLarge       Kind = "header-fields-too-large"
	KindInternal             Kind = "internal-error"
	KindNotImplemented       Kind = "not-implemented"
	KindHTTPVersion          Kind = "http-version-not-supported"
	KindUnavailable          Kind = "unavailable"
)

// Kind is the problem's kind, read from its type URI.
func (p *Problem) Kind() Kind {
	if strings.HasPrefix(p.Type, LocalPrefix) {
		return Kind(p.Type)
	}
	return Kind(p.Type[strings.LastIndex(p.Type, "/")+1:])
}

// Error implements error in one line.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.Detail == "" {
		b.WriteString(p.Title)
	} else {
		b.WriteString(strings.TrimSuffix(p.Title, ".") + ": " + p.Detail)
	}
	for _, name := range p.Errors.Names() {
		fmt.Fprintf(&b, " [%s: %s]", name, strings.Join(p.Errors[name], " "))
	}
	return b.String()
}

// A Refusal is a problem of the service together with what its answer carries outside the document.
type Refusal struct {
	Problem
	// RetryAfter is how long to wait before asking again; zero when the service did not say.
	RetryAfter time.Duration
	// Challenge is the WWW-Authenticate header of a 401 or 403.
	Challenge string
	// Allow lists the methods that a path has, for a 405.
	Allow []string
	// Repeat is the idempotency key with which a write has to be sent again to learn its outcome, since there is nothing to find
	// its effect by; empty otherwise.
	Repeat string
	// Document is the problem document as it was received; nil for one made here.
	Document []byte
}

// Unwrap gives errors.As the problem itself.
func (r *Refusal) Unwrap() error { return &r.Problem }

// GaveUp says whether a status below 500 tells that somebody gave up waiting for what may have been under way: a server
// (408, RFC 9110 section 15.5.9), or a proxy for its own client (499 of nginx, 460 of AWS load balancers). Any other says
// that the request was not carried out.
func GaveUp(status int) bool {
	const requestTimeout, nginxClientClosed, awsClientClosed = 408, 499, 460
	return status == requestTimeout || status == nginxClientClosed || status == awsClientClosed
}

// Refuse makes a refusal of a kind, its detail formatted as by fmt.Sprintf.
func Refuse(kind Kind, format string, args ...any) *Refusal {
	description := Describe(kind)
	return &Refusal{Problem: Problem{
		Type:   "/problems/" + string(kind),
		Title:  description.Title,
		Status: description.Status,
		Detail: fmt.Sprintf(format, args...),
	}}
}

// Invalid is the refusal of a request body that failed validation, in the specification's words.
func Invalid(fields FieldErrors) *Refusal {
	r := Refuse(KindValidation, "The request body failed validation.")
	r.Errors = fields
	return r
}

// NotFound is the refusal of an identifier that names nothing. What is the resource in words, such as "account".
func NotFound(what, id string) *Refusal {
	return Refuse(KindNotFound, "There is no %s %q.", what, id)
}

// IsKind says whether an error is a refusal of a kind.
func IsKind(err error, kind Kind) bool {
	refusal, ok := errors.AsType[*Refusal](err)
	return ok && refusal.Kind() == kind
}

// RetryAfter is how long a service that refused asked to wait; zero when it did not say, or did not refuse.
func RetryAfter(err error) time.Duration {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.RetryAfter
	}
	return 0
}
