package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// Get reads the resource at a path that the service has named. The path may begin with that of the base URL.
func (c *Client) Get(ctx context.Context, location string) (*payments.Response, error) {
	if path, ok := strings.CutPrefix(location, c.base.EscapedPath()); ok && strings.HasPrefix(path, "/") {
		location = path
	}
	path, query, _ := strings.Cut(location, "?")
	r, err := c.newAPIRequest(http.MethodGet, path, query)
	if err != nil {
		return nil, err
	}
	result := c.sendWithRetries(ctx, r)
	return result.response, result.err
}

// newAPIRequest makes the request of a call to any path. GET, HEAD, OPTIONS and route selection are repeated. Anything
// else is a write. Every 2xx response is a success, unless it claims to be JSON and is not: then a part was lost.
func (c *Client) newAPIRequest(method, path, query string) (*request, error) {
	values, err := url.ParseQuery(query)
	isSpecial := func(c rune) bool { return c <= ' ' || c == '#' || c == 0x7f }
	switch {
	case !isToken(method) || method != strings.ToUpper(method) || method == http.MethodConnect:
		return nil, invalidRequest("%q is not an HTTP method, such as GET.", method)
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, isSpecial):
		return nil, invalidRequest(
			"%q is not a path below the base URL. A path begins with one slash and has no space or fragment: /accounts/v1.",
			path)
	case hasDotSegment(path):
		return nil, invalidRequest("%q has a . or .. segment, so it could leave the base URL.", path)
	case err != nil:
		return nil, invalidRequest("The query of the path is not escaped correctly.")
	}
	r, err := c.requestTo(method, path, values)
	if err != nil {
		return nil, err
	}
	op, _, _ := c.config.ServiceMap.Find(method, path)
	r.isWrite, r.returnsToken = c.Writes(method, path), op == &contract.CreateAccessToken
	r.accept = checkJSON
	r.header.Set("Accept", r.header.Get("Accept")+", */*;q=0.1") // not every response is JSON
	return r, nil
}

// checkJSON returns why a successful response cannot be used, or "".
func checkJSON(response *payments.Response) string {
	if len(response.Body) > 0 && isJSON(mediaType(response)) {
		return jsonFault(response.Body)
	}
	return ""
}

// jsonFault returns why a body is not JSON, or "".
func jsonFault(body []byte) string {
	if jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return ""
	}
	return "the body is not valid JSON"
}

// Writes reports whether a call may change something. Only calls known to change nothing do not. The path may have a
// query.
func (c *Client) Writes(method, path string) bool {
	reads := []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	if slices.Contains(reads, method) {
		return false
	}
	op, _, _ := c.config.ServiceMap.Find(method, path)
	return op != &contract.SelectRoutes
}

// Meaning returns a call to any path as a use of an operation, in the contract's terms. It has no operation if none
// fits. The error names what the contract has no terms for.
func (c *Client) Meaning(call effect.Request) (use effect.Request, err error) {
	path, query, _ := strings.Cut(call.Path, "?")
	values, _ := url.ParseQuery(query) // a malformed query is refused later
	meant, isOurs, err := c.config.ServiceMap.Accept(servicemap.Wire{Method: call.Method, Path: path,
		Query: values, Body: call.Body})
	if err != nil {
		return use, notMapped(err)
	}
	if isOurs {
		use = effect.Request{Operation: meant.Op.ID, Params: meant.Params, Query: meant.Query, Body: meant.Body}
	}
	return use, nil
}

// addHeader sets a caller's header fields. They replace the request's own.
func (r *request) addHeader(header http.Header) error {
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		hasControl := func(value string) bool { return strings.ContainsFunc(value, isControl) }
		if !isToken(name) || slices.ContainsFunc(values, hasControl) {
			return invalidRequest("The header field %q has an invalid name or value.", name)
		}
		switch name {
		case "Authorization", "Proxy-Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection",
			"Accept-Encoding", "Expect", "Te", "Trailer", "Upgrade", "X-Idempotency-Key",
			// These turn a read into a write, which would be repeated and not recorded in the journal.
			"X-Http-Method-Override", "X-Http-Method", "X-Method-Override":
			return invalidRequest("The header field %s cannot be set.", name)
		case "Idempotency-Key":
			if len(values) != 1 || values[0] == "" {
				return invalidRequest("A request has one idempotency key.")
			}
			if err := r.setKey(values[0]); err != nil {
				return err
			}
		default:
			r.header[name] = slices.Clone(values)
		}
	}
	return nil
}

// hasDotSegment reports whether any program on the way may read a . or .. segment in a path (RFC 3986 section 5.2.4).
// Dots and slashes may be escaped, slashes may be backslashes, and parameters may follow a semicolon.
func hasDotSegment(path string) bool {
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path // requestTo returns an error for it
	}
	for segment := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c == '/' || c == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// isToken reports whether a text is a token (RFC 9110 section 5.6.2).
func isToken(text string) bool {
	return text != "" && isVisibleASCII(text) && !strings.ContainsAny(text, `"(),/:;<=>?@[\]{}`)
}
