package client

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A request is one call in the form of HTTP. It may be sent several times.
type request struct {
	op     *contract.Operation // nil for a call to any path
	method string
	url    *url.URL
	header http.Header // without the credential, the key and the preference
	body   []byte
	key    string        // the Idempotency-Key; empty for none
	wait   time.Duration // how long the service is asked to hold its response (RFC 7240 section 4.3)

	isWrite          bool                   // the call changes something: when its response is lost, so is its outcome
	lostBefore       error                  // of an attempt that an earlier program made with the same key
	followsRedirects bool                   // within the origin
	maxBody          int64                  // the largest body of a response that is read, in bytes
	isStream         bool                   // the body of a response with status 200 is not read, but returned as a stream
	maySend          payments.Permit        // is asked immediately before an attempt at a write leaves; nil for a read
	hasTurn          bool                   // it has waited for its turn already (Config.Pace)
	accept           func(*Response) string // returns why a successful response cannot be used; empty when it can

	credential   string   // the whole Authorization header, in place of the token source's
	secrets      []string // the credentials that it carries
	returnsToken bool     // a successful response carries a credential that the caller needs
}

// requestTo makes a request for an escaped path below the base URL.
func (c *Client) requestTo(method, path string, query url.Values) (*request, error) {
	target := *c.base
	text := strings.TrimRight(c.base.EscapedPath(), "/") + path
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return nil, invalidRequest(
			"The path %q is not escaped correctly: a percent sign stands before two hexadecimal digits.", path)
	}
	target.Path, target.RawPath, target.RawQuery = decoded, text, query.Encode()
	header := http.Header{"Accept": {"application/json, application/problem+json"}, "User-Agent": {c.config.UserAgent}}
	if c.config.Traceparent != "" {
		header["Traceparent"] = []string{c.config.Traceparent}
	}
	anyResponse := func(*Response) string { return "" }
	r := &request{method: method, url: &target, header: header, maxBody: maxBodyBytes, accept: anyResponse}
	if at := c.route(&contract.GetSandboxSnapshot); method == at.Method && path == at.Path {
		r.maxBody = maxSnapshotBytes
	}
	return r, nil
}

// at names the request's path in a problem that the client found.
func (r *request) at(problem *payments.ProblemError) *payments.ProblemError {
	problem.Instance = r.url.EscapedPath()
	return problem
}

// redactor returns a Redactor for what is shown of a request and its response.
func (c *Client) redactor(r *request, responseBody []byte) redact.Redactor {
	return c.config.Secrets.With(r.secrets, r.body, responseBody)
}

// redact removes the secrets of a request from a text.
func (c *Client) redact(r *request, text string) string { return c.redactor(r, nil).Text(text) }
