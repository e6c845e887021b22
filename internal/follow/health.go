package follow

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// longestRejection is how long a service that has answered before may reject renewed tokens. One that restarts may
// reject some before it knows the tokens again; a credential that was revoked is always rejected. It is a time and not
// a number of attempts, since the pauses between attempts are random and can all be short.
const longestRejection = 15 * time.Second

// health keeps whether the service answers, and reports when that changes. It is safe for concurrent use.
type health struct {
	mu            sync.Mutex
	trouble       func(error) // may be nil
	recovered     func()      // may be nil
	troubled      bool
	answered      bool      // at least once
	rejectedSince time.Time // when the service began to reject tokens; zero means that it does not
}

// observe records the outcome of a request; nil is success.
func (h *health) observe(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
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
