package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// maxRedirects is how many redirects one attempt follows: a service needs one or two, so that more are a loop.
const maxRedirects = 5

// followRedirects sends a request once, follows the redirects that it may follow, and judges the result.
func (c *Client) followRedirects(ctx context.Context, r *request, authorization string, wait time.Duration) outcome {
	target := r.url
	for hops := 0; ; hops++ {
		response, sent, err := c.roundTrip(ctx, r, target, authorization, wait)
		switch {
		case err != nil:
			return c.judgeFailure(ctx, r, sent, err)
		case !isRedirect(response.Status):
			return c.judgeResponse(r, response)
		}
		next, err := c.redirectTarget(r, target, response, hops)
		if err != nil {
			result := outcome{verdict: payments.Refused, response: response, err: err}
			if response.Status == http.StatusFound || response.Status == http.StatusSeeOther {
				result.verdict = payments.Unknown // web frameworks use these after they carried out a request (RFC 9110 section 15.4.4)
			}
			return result
		}
		target = next
	}
}

func isRedirect(status int) bool {
	return slices.Contains([]int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	}, status)
}

// redirectTarget returns where an attempt goes next. The error is of kind payments.KindRedirect, or payments.KindMoved
// if the request follows no redirect at all.
func (c *Client) redirectTarget(r *request, from *url.URL, response *Response, hops int) (*url.URL, error) {
	kind, title, why := payments.KindRedirect, "A redirect was refused.", ""
	location, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.Header.Get("Location") == "" {
		location, why = &url.URL{}, "It has no usable Location. Check the base URL."
	}
	next := from.ResolveReference(location)
	next.Fragment, next.RawFragment = "", ""
	target := settings.Origin(next)
	switch {
	case why != "":
	case !r.followsRedirects:
		kind, title = payments.KindMoved, "The service has another address."
		why = "Requests that change something or carry a secret are not redirected. " +
			"If the service is there now, make it the base URL."
	case target != c.origin || next.User != nil:
		why = "Credentials are not sent to another origin than " + c.origin + ". " +
			"If the service is there now, make it the base URL and log in there."
	case hops >= maxRedirects:
		why = "That is one redirect too many. Check the base URL."
	default:
		return next, nil
	}
	problem := payments.NewLocalProblem(kind, nil, title, "%s %s was redirected (status %d) to %s. %s",
		r.method, r.url.Path, response.Status, target, why)
	problem.Status = response.Status
	return nil, r.at(problem)
}
