package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Bounds of the wait between two attempts.
const (
	firstBackoff  = 200 * time.Millisecond
	maxBackoff    = 5 * time.Second
	maxRetryAfter = time.Minute // a service that asks for more is not waited for
)

// exchange sends a request as often as it may and has to be, and returns the answer. Beside an error, the answer is
// what the service said last, if anything.
func (c *Client) exchange(parent context.Context, r *request) (*Response, error) {
	r.knows(c)
	if c.config.Curl != nil {
		return nil, c.show(r)
	}
	if err := c.pace(parent, r); err != nil {
		return nil, c.kept(r, err)
	}
	budget := c.config.Timeout + r.hold
	ctx, cancel := context.WithTimeout(parent, budget)
	defer cancel()
	deadline := c.config.Now().Add(budget)

	authorization, err := c.authorize(ctx, r)
	if err != nil {
		return nil, c.kept(r, err)
	}
	lostBefore := r.lost
	renewed := false
	for retries := 0; ; {
		left := deadline.Sub(c.config.Now())
		result := c.attempt(ctx, r, authorization, min(r.hold, left-c.config.Timeout))
		if result.verdict == done {
			return result.answer, nil
		}
		if result.verdict == lost && lostBefore == nil {
			lostBefore = result.err
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
			return result.answer, c.conclude(r, result, lostBefore)
		}
		delay := c.delay(result, retries)
		trusted := c.Trusted()
		if result.verdict == lost && r.write && r.key != "" {
			trusted = c.trusts(ctx) // it may have to be asked
		}
		if result.tooOften() && lostBefore == nil && payments.IsPaced(parent) {
			return result.answer, result.err
		}
		if !c.repeatable(r, result, retries, trusted) || delay > c.remaining(parent, deadline) || ctx.Err() != nil {
			return result.answer, c.conclude(r, result, lostBefore)
		}
		if !result.keyInUse() {
			retries++
		}
		if c.config.Sleep(ctx, delay) != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				result.verdict, result.err = unsent, interrupted(ctx, r)
			}
			return result.answer, c.conclude(r, result, lostBefore)
		}
	}
}

// kept is the error of a call that was kept from leaving.
func (c *Client) kept(r *request, err error) error {
	if r.write && r.lost != nil {
		return c.unknown(r, r.lost, err)
	}
	return &keptError{err}
}

// repeatable says whether a request may be sent again after an attempt that ended so, to a service that is trusted to
// honour keys or not. A key that is in use is waited out until the deadline, however many attempts that takes.
func (c *Client) repeatable(r *request, result outcome, retries int, trusted bool) bool {
	keyed := r.key != "" && trusted
	if result.keyInUse() {
		return keyed && c.config.Retries > 0
	}
	if retries >= c.config.Retries || !result.passing {
		return false
	}
	return result.verdict != lost || !r.write || keyed
}

// conclude is the error of a call whose last attempt ended so. LostBefore is the error of the first attempt whose
// outcome is not known; nil when there was none. A key that is in use is an attempt, of somebody, that is under way.
func (c *Client) conclude(r *request, result outcome, lostBefore error) error {
	if lostBefore == nil && result.keyInUse() {
		lostBefore = result.err
	}
	if !r.write || lostBefore == nil || result.settles() {
		return result.err
	}
	return c.unknown(r, lostBefore, result.err)
}

// remaining is the time until a call has to end: by its own deadline or by its caller's.
func (c *Client) remaining(parent context.Context, deadline time.Time) time.Duration {
	left := deadline.Sub(c.config.Now())
	if end, ok := parent.Deadline(); ok {
		left = min(left, time.Until(end))
	}
	return left
}

// delay is how long to wait before the next attempt: what the service asked for, and full jitter under an exponential
// backoff.
func (c *Client) delay(result outcome, retries int) time.Duration {
	backoff := firstBackoff
	for range retries {
		backoff = min(2*backoff, maxBackoff)
	}
	asked, ok := time.Duration(0), false
	if result.answer != nil {
		asked, ok = retryAfter(result.answer.Header, c.config.Now())
	}
	switch {
	case asked > maxRetryAfter:
		return 1<<63 - 1 // longer than any deadline
	case ok:
		// A little on top, so that callers who were told the same do not all come back at once.
		backoff = min(backoff, firstBackoff)
	}
	return asked + time.Duration(c.config.Rand()*float64(backoff))
}

// retryAfter reads the Retry-After header (RFC 9110 section 10.2.3): seconds, or a date, which counts from the
// answer's own Date where there is one, so that a wrong clock here does no harm.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	const mostSeconds = 1 << 31
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, mostSeconds)) * time.Second, true
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
