package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

const (
	// releasesURL is the page of payctl's releases. The page "latest" below it redirects to the one of the latest release
	// that is no pre-release; its last element is the release's tag.
	releasesURL = "https://github.com/payctl/payctl/releases"
	// releaseTimeout is the deadline of LatestRelease: a person waits for the answer.
	releaseTimeout = 10 * time.Second
)

// A Release is a published version of payctl.
type Release struct {
	Version string // a semantic version without a v, such as 0.2.0
	URL     string // of the page about it
}

// LatestRelease asks where payctl is published for its latest release, through the same proxies as the service and
// once. The request has a User-Agent and nothing else: no credential, no trace, no body. Of the config it uses the
// User-Agent, the timeout, the authorities, the log and the secrets that are kept out of it.
//
// The error is a *payments.ProblemError: of kind payments.KindUnreachable if nothing was sent, and otherwise of kind
// payments.KindTimeout or payments.KindUnusable.
func LatestRelease(ctx context.Context, config Config) (Release, error) {
	home, err := url.Parse(releasesURL)
	if err != nil {
		return Release{}, err
	}
	config.BaseURL = home
	config.Timeout = cmp.Or(max(config.Timeout, 0), releaseTimeout)
	c, err := New(config)
	if err != nil {
		return Release{}, err
	}
	defer c.CloseIdleConnections()
	return c.latestRelease(ctx)
}

// latestRelease is LatestRelease for the releases at the base URL.
func (c *Client) latestRelease(ctx context.Context) (Release, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	target := c.base.JoinPath("latest")
	r := &request{
		method: http.MethodHead, url: target, header: http.Header{"User-Agent": {c.config.UserAgent}},
		followsRedirects: true,
	}
	for hops := 0; ; hops++ {
		response, sent, err := c.roundTrip(ctx, r, target, "", 0)
		switch {
		case err != nil && errors.Is(ctx.Err(), context.Canceled):
			return Release{}, interrupted(ctx, r)
		case err != nil && sent && ctx.Err() != nil:
			return Release{}, c.releaseUnknown(c.timedOut(r, err))
		case err != nil && sent:
			return Release{}, c.releaseUnknown(c.unusable(r, nil, err, readFailure(err)))
		case err != nil:
			return Release{}, c.releaseUnknown(c.unreachable(r, err))
		case response.Status == http.StatusOK || response.Status == http.StatusNotFound:
			return Release{}, c.releaseUnknown(c.unusable(r, response, nil, "it names no release"))
		case !isRedirect(response.Status):
			return Release{}, c.releaseUnknown(c.unusable(r, response, nil,
				fmt.Sprintf("HTTP status %d (%s)", response.Status, http.StatusText(response.Status))))
		}
		next, err := c.redirectTarget(r, target, response, hops)
		if err != nil {
			return Release{}, c.releaseUnknown(c.unusable(r, response, err, "it redirects to where no release can be"))
		}
		if page, tag, ok := strings.Cut(next.Path, "/releases/tag/"); ok && page != "" {
			if !semver.IsValid(tag) {
				return Release{}, c.releaseUnknown(c.unusable(r, response, nil, "the latest release is named by no version"))
			}
			return Release{Version: strings.TrimPrefix(tag, "v"), URL: next.String()}, nil
		}
		target = next
	}
}

// releaseUnknown returns a problem of asking for the latest release, in words that do not speak of the payments service.
func (c *Client) releaseUnknown(problem *payments.ProblemError) *payments.ProblemError {
	problem.Title = "The latest version is not known."
	problem.Detail = fmt.Sprintf("%s: %s.", c.base, problem.Reason)
	problem.Next = shell.Hint("open PAGE in a browser", shell.Values{"PAGE": c.base.String()})
	problem.Instance = ""
	return problem
}
