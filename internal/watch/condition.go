package watch

import (
	"errors"
	"sync"

	"github.com/payctl/payctl/internal/payments"
)

// mostRejections is how often in a row a service that has answered before may reject renewed tokens until that counts as
// its last word.
const mostRejections = 5

// condition is whether the service answers, told when it changes.
type condition struct {
	mu         sync.Mutex
	trouble    func(error)
	recovered  func()
	troubled   bool
	answered   bool // ever
	rejections int  // of tokens, in a row
}

// is takes in how the service answered last; nil is well.
func (c *condition) is(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.answered, c.rejections = true, 0
		if c.troubled && c.recovered != nil {
			c.recovered()
		}
		c.troubled = false
		return
	case isRejection(err):
		c.rejections++
	}
	if c.passes(err) {
		if !c.troubled && c.trouble != nil {
			c.trouble(err)
		}
		c.troubled = true
	}
}

// passing says whether a failure may pass.
func (c *condition) passing(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passes(err)
}

func (c *condition) passes(err error) bool {
	return passing(err) || isRejection(err) && c.answered && c.rejections <= mostRejections
}

// isRejection says whether the service rejected a token that was fresh.
func isRejection(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	return ok && refusal.Status == 401
}

// passing says whether a failure may pass: no answer, or one that says that the service is in trouble; or a token that ran
// out while it was, so that it could not be renewed.
func passing(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	if !ok {
		return false
	}
	switch refusal.Kind() {
	case payments.KindUnreachable, payments.KindTimeout, payments.KindUnusable, payments.KindRateLimited, payments.KindUnavailable, payments.KindInternal:
		return true
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && refusal.Status == 401 {
		for _, one := range several.Unwrap() {
			if passing(one) {
				return true
			}
		}
	}
	return refusal.Status >= 500
}
