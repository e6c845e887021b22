package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
)

// Do makes a call that no method of payments.Service has. Path begins with a slash, is escaped and lies below the base
// URL; it may have a query, to which the other is added. The token source's credential goes with it, and the same rules
// hold: GET, HEAD, OPTIONS and route selection are repeated and follow redirects, anything else is a write, whose
// Idempotency-Key header counts as a key.
//
// Every 2xx answer is good, whatever its body. An answer with an error status comes back beside the error, so that it
// can be shown as it was received; the Response is nil when there was no complete answer.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, header http.Header, body []byte) (*Response, error) {
	path, inline, _ := strings.Cut(path, "?")
	added, err := url.ParseQuery(inline)
	switch {
	case !isMethod(method):
		return nil, invalidRequest("%q is no HTTP method; it looks like GET.", method)
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c == '#' || c == 0x7f }):
		return nil, invalidRequest("%q is no path below the base URL; it begins with one slash and has no space or fragment, as in /accounts/v1.", path)
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
	reading := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method) || c.isRouteSelection(method, path)
	r := &request{method: method, url: target, header: c.header(), body: body, write: !reading, follow: reading}
	if len(body) > 0 {
		r.header.Set("Content-Type", "application/json")
	}
	if err := r.take(header); err != nil {
		return nil, err
	}
	answer, _, err := once(ctx, c, keyed[*Response]{
		intent:  c.intent(method+" "+path, r.key, target.RequestURI(), body),
		send:    func(ctx context.Context) (*Response, error) { return c.exchange(ctx, r) },
		earlier: recovery[*Response]{of: func(*Response) (subject, state string) { return "", "" }},
	})
	return answer, err
}

func (c *Client) isRouteSelection(method, path string) bool {
	where := c.route(&contract.SelectRoutes)
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
			"Accept-Encoding", "Expect", "Te", "Trailer", "Upgrade", "X-Idempotency-Key":
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
