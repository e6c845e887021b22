package client

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A request is one call as it goes over the wire, as often as it is sent.
type request struct {
	method string
	url    *url.URL
	header http.Header // without credentials, key and preference
	body   []byte

	// key is the Idempotency-Key; empty when there is none.
	key string
	// write says that the call changes something, so that losing its answer loses its outcome.
	write bool
	// lost is what is known of an earlier program that sent the write with the same key and had no answer; nil: none did.
	lost error
	// follow says that redirects within the origin are followed.
	follow bool
	// roomy says that the answer may be a snapshot.
	roomy bool
	// hold is how long the service is asked to hold its answer.
	hold time.Duration
	// paced says that its first attempt has waited for its turn.
	paced bool
	// credential is a complete Authorization header in place of the token source's.
	credential string
	// keepsSecrets says that a good answer is not stripped of credentials: it brings some.
	keepsSecrets bool
	// accept says why a good answer cannot be used; empty when it can. Nil accepts all.
	accept func(*Response) string

	secrets []string // what must not be shown, as far as it is known
	known   *Secrets // of the process; nil: none are known
}

// at names the path in a problem that was made here.
func (r *request) at(f *Failure) *Failure {
	f.Instance = r.url.EscapedPath()
	return f
}

// most is how many bytes the answer's body may have.
func (r *request) most() int64 {
	if r.roomy {
		return maxSnapshotBytes
	}
	return maxBodyBytes
}

// hide adds a text that must not be shown from now on.
func (r *request) hide(secrets ...string) {
	r.secrets = append(r.secrets, secrets...)
	if r.known != nil {
		r.known.Add(secrets...)
	}
}

// knows makes the request's secrets known to its client, and the other way round.
func (r *request) knows(c *Client) {
	r.known = c.config.Secrets
	r.known.Add(r.secrets...)
}

// scrub takes out of a text what must not be shown.
func (r *request) scrub(text string) string { return r.redactor(nil).text(text) }

// quote is a short piece of an answer that nobody expected, to recognise it by; it begins with a space.
func (r *request) quote(answer *Response) string {
	if answer == nil {
		return ""
	}
	if snippet := r.redactor(answer.Body).snippet(answer.Header.Get("Content-Type"), answer.Body); snippet != "" {
		return " It begins: " + snippet
	}
	return ""
}

// resolve puts a path, escaped, and a query below the base URL.
func (c *Client) resolve(path string, query url.Values) (*url.URL, error) {
	u := *c.base
	text := strings.TrimRight(c.base.EscapedPath(), "/") + path
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return nil, invalidRequest("The path %q is not escaped correctly: a percent sign stands before two hexadecimal digits.", path)
	}
	u.Path, u.RawPath, u.RawQuery = decoded, text, query.Encode()
	return &u, nil
}
