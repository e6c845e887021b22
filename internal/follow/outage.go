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
	// firstPause is the longest pause after a first failure. Most are connections that a proxy has closed.
	firstPause = 500 * time.Millisecond
	// slowAfter is how long a request may take before the service counts as not answering.
	slowAfter = 4 * time.Second
	// longestPause is long enough for a service that is down for hours.
	longestPause = 30 * time.Second
)

// A caller repeats requests until the service answers, and reports when it stops and starts answering. It is safe for
// concurrent use.
type caller struct {
	backoff wait.Backoff
	trouble func(error) // may be nil
	isHeld  bool        // an answer may take long, such as that of a long poll

	mu       sync.Mutex
	troubled bool // trouble was called
}

// newCaller returns a caller with pauses that fit the interval between two polls.
func newCaller(interval time.Duration, trouble func(error)) *caller {
	return &caller{backoff: wait.Backoff{First: firstPause, Longest: min(6*interval, longestPause)}, trouble: trouble}
}

// call sends a request, and repeats it after temporary errors. The pauses grow, and respect Retry-After.
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

// once sends a request, and reports it if the answer is slow.
func (c *caller) once(request func() error) error {
	if !c.isHeld {
		slow := time.AfterFunc(slowAfter, func() { c.waitsFor(errSlow) })
		defer slow.Stop()
	}
	return request()
}

// errSlow means that a service may be frozen.
var errSlow = &payments.ProblemError{
	Problem: payments.Problem{Type: string(payments.ProblemTimeout)},
	Reason:  "there was no answer within " + slowAfter.String(),
}

// waitsFor records the result of a request, and reports whether it is a temporary error. Any other error of the service
// ends a watch.
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

// statusOf returns the status of the answer in an error, or zero.
func statusOf(err error) int {
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		return problem.Status
	}
	return 0
}

// isTemporary reports whether an error is likely to pass. The service cannot be reached or fails, or a token could not
// be renewed because of that.
func isTemporary(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return false
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && problem.Status == 401 {
		return slices.ContainsFunc(joined.Unwrap(), isTemporary)
	}
	switch problem.ProblemType() {
	case payments.ProblemUnreachable, payments.ProblemTimeout, payments.ProblemUnusable:
		return true
	}
	return problem.Status == 429 || problem.Status >= 500
}

// hasNoFeed reports whether an error means that the service has no event feed for this client.
func hasNoFeed(err error) bool {
	switch status := statusOf(err); status {
	case 0:
		return errors.Is(err, errors.ErrUnsupported)
	case 400, 403, 404, 405, 406, 410, 501:
		return true
	default:
		return status/100 == 2 // the answer is not a feed
	}
}
