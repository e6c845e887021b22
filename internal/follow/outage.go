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
	// firstPause is the longest pause after a first failure: most are a connection that a proxy has closed.
	firstPause = 500 * time.Millisecond
	// slowAfter is how long a request may take before the service counts as one that does not answer.
	slowAfter = 4 * time.Second
	// longestPause is no burden for a service that is down for hours.
	longestPause = 30 * time.Second
)

// A caller sends requests again until the service answers, and reports when it stops and begins to. It is safe for
// concurrent use.
type caller struct {
	backoff wait.Backoff
	trouble func(error) // nil means that nobody is told
	isHeld  bool        // an answer may take long, such as that of a long poll

	mu       sync.Mutex
	troubled bool // trouble was called
}

// newCaller returns a caller whose pauses suit the interval between two polls.
func newCaller(interval time.Duration, trouble func(error)) *caller {
	return &caller{backoff: wait.Backoff{First: firstPause, Longest: min(6*interval, longestPause)}, trouble: trouble}
}

// call sends a request, and sends it again after errors that pass. The pauses grow, and respect Retry-After.
func (c *caller) call(ctx context.Context, request func() error) error {
	for failures := 1; ; failures++ {
		err := c.once(request)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !c.waitsFor(err) {
			return err
		}
		if err := wait.Sleep(ctx, c.backoff.Pause(failures, payments.RetryAfter(err))); err != nil {
			return err
		}
	}
}

// once sends a request, and reports one that is not answered for a while.
func (c *caller) once(request func() error) error {
	if !c.isHeld {
		slow := time.AfterFunc(slowAfter, func() { c.waitsFor(errSlow) })
		defer slow.Stop()
	}
	return request()
}

// errSlow is what a service is in trouble with that may be frozen.
var errSlow = &payments.ProblemError{
	Problem: payments.Problem{Type: string(payments.KindTimeout)}, Reason: "there was no answer within " + slowAfter.String(),
}

// waitsFor records the outcome of a request, and reports whether it is an error that passes. Every other error of the
// service ends a watch.
func (c *caller) waitsFor(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	passes := isTemporary(err)
	if passes != c.troubled && c.trouble != nil {
		if !passes {
			err = nil
		}
		c.trouble(err)
	}
	c.troubled = passes
	return passes
}

// statusOf is the status of the answer that an error tells of. Zero means there is none.
func statusOf(err error) int {
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		return problem.Status
	}
	return 0
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
	switch problem.Kind() {
	case payments.KindUnreachable, payments.KindTimeout, payments.KindUnusable:
		return true
	}
	return problem.Status == 429 || problem.Status >= 500
}

// hasNoFeed reports whether an error means that the service has no event feed, or none for this client.
func hasNoFeed(err error) bool {
	switch status := statusOf(err); status {
	case 0:
		return errors.Is(err, errors.ErrUnsupported)
	case 400, 403, 404, 405, 406, 410, 501:
		return true
	default:
		return status/100 == 2 // the answer is not that of a feed
	}
}
