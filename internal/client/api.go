package client

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
)

// Do makes a call that no method of payments.Service has. Path begins with a slash, is escaped and lies below the base
// URL; it may have a query, to which the other is added. The token source's credential goes with it, and the same rules
// hold: GET, HEAD, OPTIONS and route selection are repeated and follow redirects, anything else is a write, whose
// Idempotency-Key header counts as a key.
//
// Every 2xx answer is good, whatever its body, but one that calls itself JSON and is not: something was lost on its way. An
// answer with an error status comes back beside the error, so that it can be shown as it was received; the Response is nil when
// there was no complete answer.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, header http.Header, body []byte) (*Response, error) {
	path, inline, _ := strings.Cut(path, "?")
	added, err := url.ParseQuery(inline)
	switch {
	case !isMethod(method):
		return nil, invalidRequest("%q is no HTTP method; it looks like GET.", method)
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c == '#' || c == 0x7f }):
		return nil, invalidRequest("%q is no path below the base URL; it begins with one slash and has no space or fragment, as in /accounts/v1.", path)
	case hasDotSegment(path):
		return nil, invalidRequest("%q has a . or .. segment, with which it could leave the base URL.", path)
	case err != nil:
		return nil, invalidRequest("The query of the path is not escaped correctly.")
	}
	for name, values := range query {
		added[name] = append(added[name], values...)
	}
	target, err := c.resolve(path, added)
	if err != nil {
		return nil, err
	}
	writes := c.Writes(method, path)
	r := &request{
		method: method, url: target, header: c.header(), body: body, write: writes, follow: !writes,
		roomy: c.is(&contract.GetSandboxSnapshot, method, path), accept: brokenJSON,
	}
	r.header.Set("Accept", r.header.Get("Accept")+", */*;q=0.1") // not every answer is JSON
	if len(body) > 0 {
		r.header.Set("Content-Type", "application/json")
	}
	if err := r.take(header); err != nil {
		return nil, err
	}
	if !writes {
		return c.exchange(ctx, r)
	}
	answer, _, err := once(ctx, c, keyed[*Response]{
		intent: c.intent(method+" "+path, r.key, target.RequestURI(), body),
		send: func(ctx context.Context, lost error) (*Response, error) {
			r.lost = lost
			return c.exchange(ctx, r)
		},
		earlier: recovery[*Response]{
			read: func(ctx context.Context, location string) (*Response, error) {
				return c.Do(ctx, http.MethodGet, c.below(location), nil, nil, nil)
			},
			of: locationOf,
		},
	})
	return answer, err
}

// locationOf is the path of what a write has made, as a name for it; empty when the answer does not tell.
func locationOf(answer *Response) (location, state string) {
	if location = answer.Header.Get("Location"); strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//") {
		return location, ""
	}
	return "", ""
}

// below is a path that a service has named as others see it, as Do takes it: without the path of the base URL.
func (c *Client) below(path string) string {
	if rest, ok := strings.CutPrefix(path, c.base.EscapedPath()); ok && strings.HasPrefix(rest, "/") {
		return rest
	}
	return path
}

// brokenJSON says why a good answer cannot be used; empty when it can.
func brokenJSON(answer *Response) string {
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if len(answer.Body) > 0 && isJSON(media) && !jsontext.Value(answer.Body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return "the body is not valid JSON"
	}
	return ""
}

// Writes says whether Do takes a call for one that changes something: whatever is not known to change nothing. A query
// behind the path does not count.
func (c *Client) Writes(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	reading := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method) || c.is(&contract.SelectRoutes, method, path)
	return !reading
}

// is says whether a call is a use of an operation that has no parameters in its path.
func (c *Client) is(op *contract.Operation, method, path string) bool {
	where := c.route(op)
	return method == where.method && path == where.path
}

// take adds a caller's header fields to a request's own, or puts them in their place.
func (r *request) take(header http.Header) error {
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		if !isToken(name) || slices.ContainsFunc(values, func(value string) bool { return strings.ContainsFunc(value, isControl) }) {
			return invalidRequest("The header field %q has a name or a value that no header field has.", name)
		}
		switch name {
		case "Authorization", "Proxy-Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection",
			"Accept-Encoding", "Expect", "Te", "Trailer", "Upgrade", "X-Idempotency-Key",
			"X-Http-Method-Override", "X-Http-Method", "X-Method-Override": // a read that is a write would be repeated, and put down nowhere
			return invalidRequest("The header field %s is not the caller's to set.", name)
		case "Idempotency-Key":
			if len(values) != 1 || values[0] == "" || !isVisible(values[0]) {
				return invalidRequest("An idempotency key is one text of visible ASCII characters.")
			}
			r.key = values[0]
		default:
			r.header[name] = slices.Clone(values)
		}
	}
	return nil
}

// hasDotSegment says whether a path has a segment that steps aside (RFC 3986 section 5.2.4), for anything that may read it
// on its way: with its dots or the slashes around them escaped, with backslashes, or with parameters behind a semicolon.
func hasDotSegment(path string) bool {
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path // which is refused for that
	}
	for segment := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c == '/' || c == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// isMethod says whether a text is an HTTP method as they are written everywhere.
func isMethod(text string) bool {
	return isToken(text) && text == strings.ToUpper(text) && text != "CONNECT"
}

// isToken says whether a text is a token (RFC 9110 section 5.6.2).
func isToken(text string) bool {
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, b) >= 0 {
			return false
		}
	}
	return text != ""
}
