package payments

// Describe tells what a kind of problem means. An unknown kind is described as an internal error.
func Describe(kind Kind) ProblemType {
	for _, d := range ProblemTypes() {
		if d.Type == string(kind) {
			return d
		}
	}
	return Describe(KindInternal)
}

// ProblemTypes lists every kind of problem of the service; Type is the kind.
func ProblemTypes() []ProblemType { return problemTypes[:] }

var problemTypes = [...]ProblemType{
	{string(KindValidation), "One or more validation errors occurred.", 400,
		"Members of the request are missing, of the wrong type or out of bounds.",
		"Mend every field that `errors` names and send the request again."},
	{string(KindMalformed), "The request could not be read.", 400,
		"The body is not one well-formed JSON value in UTF-8, or a header or the query is malformed.",
		"Check the request's syntax at the place that `detail` names."},
	{string(KindUnauthenticated), "Authentication is required.", 401,
		"The credentials are missing, malformed, unknown, expired or revoked.",
		"Fetch a token with the token operation and send it as `Authorization: Bearer <access_token>`."},
	{string(KindInsufficientScope), "The token does not allow this.", 403,
		"The token's scopes do not cover the operation.",
		"Fetch a token that has the scope that `detail` names."},
	{string(KindKYCRequired), "The account's identity check is not approved.", 403,
		"Money moves only for an account whose KYC status is `approved`.",
		"Complete the account's identity check, wait for `approved`, then send the request again."},
	{string(KindNotFound), "Not found.", 404,
		"The path or the identifier names nothing that this client can see.",
		"Check the identifier, and that the token belongs to the client that created it."},
	{string(KindMethodNotAllowed), "The path has no such method.", 405,
		"The path exists, but not with this method.",
		"Use one of the methods in the `Allow` header."},
	{string(KindNotAcceptable), "No acceptable form of the answer.", 406,
		"The `Accept` header excludes every form in which the answer exists.",
		"Accept `application/json` and `application/problem+json`."},
	{string(KindConflict), "The request conflicts with the present state.", 409,
		"Something with this identity is there already, or the present state forbids the request.",
		"Read the resource, then decide."},
	{string(KindInvalidState), "The state does not allow this.", 409,
		"The resource is in a state from which the requested change is not possible.",
		"Read the resource and see its state."},
	{string(KindRouteMismatch), "The route does not lead to the contact.", 409,
		"The contact's payment rail or currency is not the destination of the route.",
		"Choose a route whose destination is the contact's rail and currency."},
	{string(KindLimitExceeded), "The amount is outside the route's bounds.", 409,
		"The amount is below the least or above the greatest amount of the route, or does not cover its fees.",
		"Read the route's `minAmount` and `maxAmount` with route selection."},
	{string(KindKeyInUse), "A request with this idempotency key is still running.", 409,
		"The first request with this key has not been answered yet.",
		"Wait as long as `Retry-After` says, then send the same request again."},
	{string(KindGone), "What was asked for is no longer kept.", 410,
		"The cursor or resource is older than what is kept, or its world was reset.",
		"Start again without the cursor."},
	{string(KindPreconditionFailed), "A precondition failed.", 412,
		"The resource is no longer in the state that the request's conditions name.",
		"Read the resource again and repeat the request with its present entity tag."},
	{string(KindContentTooLarge), "The request body is too large.", 413,
		"The body is larger than the service reads.",
		"Send less at once."},
	{string(KindUnsupportedMediaType), "The media type is not supported.", 415,
		"The body is of a media type or encoding that the operation does not take.",
		"Send `Content-Type: application/json` without a content encoding."},
	{string(KindKeyReuse), "The idempotency key was used with another request.", 422,
		"The key belongs to an earlier request with another body.",
		"Use a new key for a new request."},
	{string(KindRateLimited), "Too many requests.", 429,
		"The client has used up its rate.",
		"Wait as long as `Retry-After` says."},
	{string(KindInternal), "The service failed.", 500,
		"Something went wrong inside the service.",
		"Try again later; quote `requestId` to support."},
	{string(KindUnavailable), "The service is unavailable.", 503,
		"The service is starting, stopping or overloaded.",
		"Try again later, after `Retry-After` where it is given."},
}
