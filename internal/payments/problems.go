package payments

import "slices"

// A KindDescription is what all problems of a kind have in common.
type KindDescription struct {
	Kind   Kind
	Title  string
	Status int
}

// Describe returns the description of a kind of problem of the service. An unknown kind is described as an internal error.
func Describe(kind Kind) KindDescription {
	i := slices.IndexFunc(Kinds[:], func(d KindDescription) bool { return d.Kind == kind })
	if i < 0 {
		return Describe(KindInternal)
	}
	return Kinds[i]
}

// Kinds are the kinds of problem of the service.
var Kinds = [...]KindDescription{
	{KindValidation, "One or more validation errors occurred.", 400},
	{KindMalformed, "The request could not be read.", 400},
	{KindUnauthenticated, "Authentication is required.", 401},
	{KindInsufficientScope, "The token does not allow this.", 403},
	{KindKYCRequired, "The account's identity check is not approved.", 403},
	{KindTooManyClients, "The service has room for no further client.", 403},
	{KindCrossOrigin, "Web pages of other origins cannot use the service.", 403},
	{KindNotFound, "Not found.", 404},
	{KindMethodNotAllowed, "The path has no such method.", 405},
	{KindNotAcceptable, "No acceptable form of the answer.", 406},
	{KindConflict, "The request conflicts with the present state.", 409},
	{KindInvalidState, "The state does not allow this.", 409},
	{KindRouteMismatch, "The route does not lead to the contact.", 409},
	{KindLimitExceeded, "The amount is outside the route's bounds.", 409},
	{KindKeyInUse, "A request with this idempotency key is still running.", 409},
	{KindReferenceInUse, "The reference belongs to another transfer.", 409},
	{KindGone, "What was asked for is no longer kept.", 410},
	{KindPreconditionFailed, "A precondition failed.", 412},
	{KindRequestTimeout, "The request took too long to arrive.", 408},
	{KindContentTooLarge, "The request body is too large.", 413},
	{KindURITooLong, "The request target is too long.", 414},
	{KindUnsupportedMediaType, "The media type is not supported.", 415},
	{KindExpectationFailed, "The expectation cannot be met.", 417},
	{KindMisdirected, "The service does not answer for this host.", 421},
	{KindKeyReuse, "The idempotency key was used with another request.", 422},
	{KindRateLimited, "Too many requests.", 429},
	{KindHeaderTooLarge, "The request's header is too large.", 431},
	{KindInternal, "The service failed.", 500},
	{KindNotImplemented, "The service does not know this.", 501},
	{KindUnavailable, "The service is unavailable.", 503},
	{KindHTTPVersion, "The version of HTTP is not supported.", 505},
}
