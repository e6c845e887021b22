package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A Call is a call that no method of payments.Service makes.
type Call struct {
	client  *Client
	request *request
	path    string // without the query
}

// NewCall prepares a call. The path begins with a slash, is escaped and lies below the base URL; it may have a query,
// to which the other is added. The token source's credential is sent along, and the usual rules apply: GET, HEAD,
// OPTIONS and route selection are repeated and follow redirects; anything else is a write, whose Idempotency-Key header
// is its key.
func (c *Client) NewCall(method, path string, query url.Values, header http.Header, body []byte) (*Call, error) {
	path, inline, _ := strings.Cut(path, "?")
	r, err := c.newAPIRequest(method, path, inline, query)
	if err != nil {
		return nil, err
	}
	if r.body = body; len(body) > 0 {
		r.header.Set("Content-Type", "application/json")
	}
	return &Call{c, r, path}, r.addHeader(header)
}

// IsWrite reports whether the call may change something.
func (call *Call) IsWrite() bool { return call.request.isWrite }

// Path is the path without the query.
func (call *Call) Path() string { return call.path }

// Key is the idempotency key of a write.
func (call *Call) Key() string { return call.request.key }

// RequestURI is the path with the query, as it is sent.
func (call *Call) RequestURI() string { return call.request.url.RequestURI() }

// Send makes the call. Of the key only MaySend and Lost count.
//
// Every 2xx response is a success, whatever its body, unless it claims to be JSON and is not: then a part of it was
// lost. An error response is returned with the error, as it was received; the Response is nil if there was no
// complete one.
func (call *Call) Send(ctx context.Context, key payments.Idempotency) (payments.WriteResult[*Response], error) {
	r := *call.request
	r.maySend, r.lostBefore, r.hasTurn = key.MaySend, key.Lost, false
	response, err := call.client.sendWithRetries(ctx, &r)
	return payments.WriteResult[*Response]{Value: response, Replayed: err == nil && isReplay(response)}, err
}

// Get reads the resource at a path that the service has named.
func (call *Call) Get(ctx context.Context, location string) (*Response, error) {
	// A location may include the path of the base URL, which NewCall adds.
	if path, ok := strings.CutPrefix(location, call.client.base.EscapedPath()); ok && strings.HasPrefix(path, "/") {
		location = path
	}
	return call.client.Get(ctx, location)
}

// Get reads the resource at a path.
func (c *Client) Get(ctx context.Context, location string) (*Response, error) {
	get, err := c.NewCall(http.MethodGet, location, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	result, err := get.Send(ctx, payments.Idempotency{})
	return result.Value, err
}

// newAPIRequest makes the request of a call to any path.
func (c *Client) newAPIRequest(method, path, inlineQuery string, query url.Values) (*request, error) {
	all, err := url.ParseQuery(inlineQuery)
	isSpecial := func(c rune) bool { return c <= ' ' || c == '#' || c == 0x7f }
	switch {
	case !isToken(method) || method != strings.ToUpper(method) || method == http.MethodConnect:
		return nil, invalidRequest("%q is no HTTP method; it looks like GET.", method)
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, isSpecial):
		return nil, invalidRequest(
			"%q is no path below the base URL; it begins with one slash and has no space or fragment, as in /accounts/v1.", path)
	case hasDotSegment(path):
		return nil, invalidRequest("%q has a . or .. segment, with which it could leave the base URL.", path)
	case err != nil:
		return nil, invalidRequest("The query of the path is not escaped correctly.")
	}
	for name, values := range query {
		all[name] = append(all[name], values...)
	}
	r, err := c.requestTo(method, path, all)
	if err != nil {
		return nil, err
	}
	r.isWrite = c.Writes(method, path)
	r.followsRedirects, r.accept = !r.isWrite, checkJSON
	r.header.Set("Accept", r.header.Get("Accept")+", */*;q=0.1") // not every response is JSON
	return r, nil
}

// CreatedLocation returns the path of what a write created, which identifies it; empty if the response does not tell.
func CreatedLocation(response *Response) (location, state string) {
	location = response.Header.Get("Location")
	if strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//") {
		return location, ""
	}
	return "", ""
}

// checkJSON returns why a successful response cannot be used; empty if it can.
func checkJSON(response *Response) string {
	if len(response.Body) > 0 && isJSON(response.mediaType()) {
		return jsonFault(response.Body)
	}
	return ""
}

// jsonFault returns why a body is no JSON; empty if it is.
func jsonFault(body []byte) string {
	if jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return ""
	}
	return "the body is not valid JSON"
}

// Writes reports whether Do treats a call as a write: every call that is not known to change nothing. A query in the
// path does not matter.
func (c *Client) Writes(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	reads := []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	return !slices.Contains(reads, method) && !c.IsCallOf(&contract.SelectRoutes, method, path)
}

// IsCallOf reports whether a call is a use of an operation that has no parameters in its path. A query in the path does
// not matter.
func (c *Client) IsCallOf(op *contract.Operation, method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	at := c.route(op)
	return method == at.method && path == at.path
}

// addHeader sets a caller's header fields, in place of the request's own.
func (r *request) addHeader(header http.Header) error {
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		hasControl := func(value string) bool { return strings.ContainsFunc(value, isControl) }
		if !isToken(name) || slices.ContainsFunc(values, hasControl) {
			return invalidRequest("The header field %q has a name or a value that no header field has.", name)
		}
		switch name {
		case "Authorization", "Proxy-Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection",
			"Accept-Encoding", "Expect", "Te", "Trailer", "Upgrade", "X-Idempotency-Key",
			// These turn a read into a write, which would be repeated and not recorded in the journal.
			"X-Http-Method-Override", "X-Http-Method", "X-Method-Override":
			return invalidRequest("The header field %s is not the caller's to set.", name)
		case "Idempotency-Key":
			if len(values) != 1 || values[0] == "" || !isVisibleASCII(values[0]) {
				return invalidRequest("An idempotency key is one text of visible ASCII characters.")
			}
			r.key = values[0]
		default:
			r.header[name] = slices.Clone(values)
		}
	}
	return nil
}

// hasDotSegment reports whether a path has a segment . or .. (RFC 3986 section 5.2.4) for any program that may read it
// on its way: with its dots or the slashes around it escaped, with backslashes, or with parameters behind a semicolon.
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
