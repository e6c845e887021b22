package client

import (
	"net/http"
	"net/url"

	"github.com/payctl/payctl/internal/payments"
)

// maxRedirects is how many redirects one attempt follows.
const maxRedirects = 5

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected is what a redirect that is not followed says of the request. Web frameworks answer 302 and 303 after
// having carried a request out (RFC 9110 section 15.4.4); the others say that it has to be made elsewhere.
func redirected(status int) verdict {
	if status == http.StatusFound || status == http.StatusSeeOther {
		return lost
	}
	return refused
}

// redirect is where an attempt goes next. Its error is a *Failure of kind payments.KindRedirect, or payments.KindMoved
// where no redirect would have been followed.
func (c *Client) redirect(r *request, from *url.URL, answer *Response, hops int) (*url.URL, error) {
	refuse := func(format string, args ...any) error {
		f := failure(payments.KindRedirect, nil, "A redirect was refused.", format, args...)
		f.Status = answer.Status
		return r.at(f)
	}
	location, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || answer.Header.Get("Location") == "" {
		return nil, refuse("%s %s was answered with a redirect (status %d) without a usable Location. Check the base URL.",
			r.method, r.url.Path, answer.Status)
	}
	next := from.ResolveReference(location)
	next.Fragment, next.RawFragment = "", ""
	target := origin(next)
	switch {
	case !r.follow:
		moved := failure(payments.KindMoved, nil, "The service is elsewhere.",
			"%s %s was redirected (status %d) to %s; what carries a change or a secret goes to its own address only. If that is where the service is now, make it the base URL.",
			r.method, r.url.Path, answer.Status, target)
		moved.Status = answer.Status
		return nil, r.at(moved)
	case target != c.origin || next.User != nil:
		return nil, refuse("%s %s was redirected (status %d) from %s to %s; credentials do not go to another origin. If that is where the service is now, make it the base URL and log in there.",
			r.method, r.url.Path, answer.Status, c.origin, target)
	case hops >= maxRedirects:
		return nil, refuse("%s %s was redirected more than %d times, last to %s. Check the base URL.",
			r.method, r.url.Path, maxRedirects, target)
	}
	return next, nil
}
