package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// Bounds of the pause between two attempts. A service may need the first to restart a worker. The longest leaves room
// for a few attempts in the default timeout of 30 seconds.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
)

// sendWithRetries sends a request, repeatedly if that is allowed and may help, and returns what became of it. The
// response is the last one, or nil.
func (c *Client) sendWithRetries(parent context.Context, r *request) attemptResult {
	if c.config.Curl != nil {
		return attemptResult{outcome: effect.NotSent, err: c.showCurl(r)}
	}
	// The wait for the first turn does not count towards the timeout.
	if err := c.awaitTurn(parent, r); err != nil {
		return c.notBegun(r, err)
	}
	budget := c.config.Timeout + r.wait
	ctx := parent
	if !r.isStream { // a stream has its own timeout
		limited, cancel := context.WithTimeout(parent, budget)
		defer cancel()
		ctx = limited
	}
	deadline := c.config.Now().Add(budget)

	authorization, err := c.authorize(ctx, r)
	if err != nil {
		return c.notBegun(r, err)
	}
	renewed := false
	for retries := 0; ; {
		left := deadline.Sub(c.config.Now())
		result := c.attempt(ctx, r, authorization, min(r.wait, left-c.config.Timeout))
		if result.outcome == effect.Done {
			return result
		}
		if (result.outcome == effect.Unknown || result.keyInUse()) && r.lostBefore == nil {
			r.lostBefore = result.err // if the key is in use, another client's attempt is under way
		}
		if !renewed && result.tokenRejected() {
			fresh, err := c.renew(ctx, r, authorization)
			if err == nil {
				authorization, renewed = fresh, true
				continue
			}
			if !errors.Is(err, errors.ErrUnsupported) {
				result.err = errors.Join(result.err, err)
			}
			return c.final(r, result)
		}
		pause := c.pause(result, retries)
		isLimited := result.outcome == effect.Refused && result.response.Status == http.StatusTooManyRequests
		if isLimited && r.lostBefore == nil && !payments.RetriesRateLimit(parent) {
			return c.final(r, result)
		}
		again, err := c.mayRepeat(ctx, r, result, retries)
		if err != nil {
			result.err = errors.Join(result.err, err)
		}
		left = deadline.Sub(c.config.Now())
		if end, ends := ctx.Deadline(); ends { // the caller's deadline may be earlier
			left = min(left, time.Until(end))
		}
		if !again || pause > left || ctx.Err() != nil {
			return c.final(r, result)
		}
		if !result.keyInUse() && !c.asksToWait(result) {
			retries++
		}
		if c.config.Sleep(ctx, pause) != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				result.outcome, result.err = effect.NotSent, interrupted(ctx, r)
			}
			return c.final(r, result)
		}
	}
}

// notBegun returns the result of a call that ended before its first attempt.
func (c *Client) notBegun(r *request, err error) attemptResult {
	return c.final(r, attemptResult{outcome: effect.NotSent, err: err})
}

// mayRepeat reports whether a request may be sent again after an attempt with this result. The send check decides about
// a write whose outcome is unknown (effect.SendCheck). The error is why not. Waiting for a key that is in use, or as
// the service asks, does not count as a retry.
func (c *Client) mayRepeat(ctx context.Context, r *request, result attemptResult, retries int) (bool, error) {
	keyInUse := result.keyInUse()
	isCounted := !keyInUse && !c.asksToWait(result)
	if r.isStream || keyInUse && c.config.Retries == 0 || isCounted && retries >= c.config.Retries ||
		!keyInUse && !result.retryable {
		return false, nil
	}
	switch {
	case !r.isWrite, result.outcome != effect.Unknown && !keyInUse:
		return true, nil
	case r.key == "" || r.maySend == nil:
		return false, nil
	}
	if err := r.maySend(ctx, r.lostBefore); err != nil {
		return false, &forbiddenError{err}
	}
	return true, nil
}

// asksToWait reports whether the service asks to send a request again after some time.
func (c *Client) asksToWait(result attemptResult) bool {
	if r := result.response; r != nil && (r.Status == http.StatusTooManyRequests ||
		r.Status == http.StatusServiceUnavailable) {
		after, ok := RetryAfter(r.Header, c.config.Now())
		return ok && after > 0
	}
	return false
}

// final returns the result of a call after its last attempt. If an earlier attempt is unknown, so is the call, unless
// the last attempt resolves it.
func (c *Client) final(r *request, last attemptResult) attemptResult {
	forbidden, isForbidden := errors.AsType[*forbiddenError](last.err)
	switch {
	case r.isWrite && r.lostBefore != nil && !last.resolvesEarlier():
		last.outcome, last.err = effect.Unknown, c.outcomeUnknown(r, r.lostBefore, last.err)
	case isForbidden:
		last.outcome, last.err = effect.NotSent, forbidden.error
	case last.outcome == effect.Refused && isUnread(last.response.Status, last.err):
		last.outcome = effect.NotSent
	}
	return last
}

// pause returns how long to wait before the next attempt. The first Retry-After of zero means at once.
func (c *Client) pause(last attemptResult, retries int) time.Duration {
	failures, asked := retries+1, time.Duration(0)
	if last.response != nil {
		after, ok := RetryAfter(last.response.Header, c.config.Now())
		switch asked = after; {
		case ok && after == 0 && retries == 0 && !last.keyInUse():
			return 0
		case ok && after > 0:
			failures = 1 // the service sets the pauses
		}
	}
	return wait.Backoff{First: firstPause, Longest: longestPause, Rand: c.config.Rand}.Pause(failures, asked)
}

// RetryAfter reads the Retry-After header (RFC 9110 section 10.2.3): seconds, or a date. A date is compared with the
// response's own Date, if it has one, so this machine's clock does not matter.
func RetryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	const maxSeconds = 1 << 31
	text := strings.TrimSpace(header.Get("Retry-After"))
	// seconds is the largest
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, maxSeconds)) * time.Second, true
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return max(until.Sub(now), 0), true
}
