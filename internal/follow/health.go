package follow

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// firstBackoff and longestBackoff bound the pause before a service in trouble is tried again: soon enough for news,
	// and not a burden for a service that is down for hours.
	firstBackoff   = time.Second
	longestBackoff = 30 * time.Second
	// mostFailures is how many failures in a row, each of which may concern one subject only, count as an outage.
	mostFailures = 3
	// longestRejection is how long a service that has answered before may reject renewed tokens. One that restarts may
	// reject some before it knows the tokens again; a credential that was revoked is always rejected. It is a time and not
	// a number of attempts, since the pauses between attempts are random and can all be short.
	longestRejection = 15 * time.Second
)

// health keeps whether the service answers, and reports when that changes. While it does not answer, requests are sent
// one at a time, after pauses that grow, and never before the time of its Retry-After. It is safe for concurrent use.
type health struct {
	backoff   wait.Backoff
	trouble   func(error)   // may be nil
	recovered func()        // may be nil
	probe     chan struct{} // with room for the one request that is sent during an outage

	mu            sync.Mutex
	failures      int       // in a row
	until         time.Time // no request is sent before; zero: the service answers
	troubled      bool      // trouble was called
	answered      bool      // at least once
	rejectedSince time.Time // when the service began to reject tokens; zero means that it does not
}

// call sends a request as soon as the service may be asked, and learns from its error.
func (h *health) call(ctx context.Context, request func() error) error {
	if until := h.pausedUntil(); !until.IsZero() {
		select {
		case h.probe <- struct{}{}:
			defer func() { <-h.probe }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := wait.Sleep(ctx, time.Until(h.pausedUntil())); err != nil {
			return err
		}
	}
	err := request()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	h.observe(err)
	return err
}

func (h *health) pausedUntil() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// observe records the outcome of a request, and how long the next ones have to wait.
func (h *health) observe(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if err == nil || !isTemporary(err) && !isTokenRejection(err) { // the service answers
		h.failures, h.until = 0, time.Time{}
		h.tell(nil)
		return
	}
	if now.Before(h.until) {
		return // the request was on its way before the outage
	}
	h.failures++
	if h.until.IsZero() && h.failures < mostFailures && !affectsAll(err) {
		return
	}
	if h.until.IsZero() {
		h.failures = 1
	}
	h.until = now.Add(h.backoff.Pause(h.failures, payments.RetryAfter(err)))
	h.tell(err)
}

// note records the outcome of a request that waits by itself; nil is success.
func (h *health) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(err)
}

// tell reports that the service answers or does not, if that is news. The caller holds the lock.
func (h *health) tell(err error) {
	if err == nil {
		h.answered, h.rejectedSince = true, time.Time{}
		if h.troubled && h.recovered != nil {
			h.recovered()
		}
		h.troubled = false
		return
	}
	if isTokenRejection(err) && h.rejectedSince.IsZero() {
		h.rejectedSince = time.Now()
	}
	if h.isTemporary(err) {
		if !h.troubled && h.trouble != nil {
			h.trouble(err)
		}
		h.troubled = true
	}
}

// temporary reports whether the watch goes on after an error. Every other error of the service ends it.
func (h *health) temporary(err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.isTemporary(err)
}

func (h *health) isTemporary(err error) bool {
	if isTemporary(err) {
		return true
	}
	return isTokenRejection(err) && h.answered &&
		(h.rejectedSince.IsZero() || time.Since(h.rejectedSince) < longestRejection)
}

// isTokenRejection reports whether the service rejected a token that was just renewed.
func isTokenRejection(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && problem.Status == 401
}

// isTemporary reports whether an error is likely to pass: the service cannot be reached or fails, or a token could
// not be renewed because of that.
func isTemporary(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return false
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && problem.Status == 401 {
		return slices.ContainsFunc(joined.Unwrap(), isTemporary)
	}
	return affectsAll(err) || problem.Kind() == payments.KindUnusable || problem.Status >= 500
}

// affectsAll reports whether a temporary error concerns the whole service, not only the subject of the request.
func affectsAll(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return false
	}
	kind, status := problem.Kind(), problem.Status
	return kind == payments.KindUnreachable || kind == payments.KindTimeout ||
		status == 429 || status == 502 || status == 503 || status == 504
}

// isNotFound reports whether the subject of a request does not exist.
func isNotFound(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && (problem.Status == 404 || problem.Status == 410)
}

// HasNoFeed reports whether an error means that the service has no event feed, or none for this client.
func HasNoFeed(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return errors.Is(err, errors.ErrUnsupported)
	}
	switch problem.Status {
	case 400, 403, 404, 405, 406, 410, 501:
		return true
	}
	return problem.Status/100 == 2 // the answer is not that of a feed
}
