package server

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// keyed names a use of an idempotency key, of which one at a time is to run.
type keyed struct {
	world string
	op    *contract.Operation
	key   string
}

// running are the uses of idempotency keys that are being answered by this process. What keeps an effect from happening
// twice is the store; this keeps a request from waiting long for another one.
type running struct {
	mu   sync.Mutex
	uses map[keyed]chan struct{} // closed at the end of the use; nil while nobody waits for it
}

// enter begins a use, or waits for the end of one that runs; first says which. It waits only so long: most requests take
// a moment, and then the answer is there to be sent again, without the client having to come back for it.
func (r *running) enter(ctx context.Context, use keyed, wait time.Duration) (first bool, err error) {
	r.mu.Lock()
	ended, runs := r.uses[use]
	if !runs {
		if r.uses == nil {
			r.uses = map[keyed]chan struct{}{}
		}
		r.uses[use] = nil
		r.mu.Unlock()
		return true, nil
	}
	if ended == nil {
		ended = make(chan struct{})
		r.uses[use] = ended
	}
	r.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
		return false, nil
	case <-timer.C:
		refusal := payments.Refuse(payments.KindKeyInUse, "An earlier request with the key %q has not been answered yet.", use.key)
		refusal.RetryAfter = time.Second
		return false, refusal
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// leave ends a use that was begun.
func (r *running) leave(use keyed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ended := r.uses[use]; ended != nil {
		close(ended)
	}
	delete(r.uses, use)
}

// alone runs the handler when no other request with the same idempotency key runs, or is refused.
func (c *call) alone(handle handler) error {
	if !c.op.TakesIdempotencyKey || c.server.IgnoreIdempotencyKeys {
		return c.withFaults(handle)
	}
	key, ok := idempotencyKey(c.r.Header["Idempotency-Key"])
	if !ok {
		return c.withFaults(handle)
	}
	use := keyed{c.session.World, c.op, key}
	first, err := c.server.running.enter(c.r.Context(), use, c.server.Bounds.KeyWait)
	if err != nil {
		return err
	}
	if first {
		defer c.server.running.leave(use) // also when a fault cuts the connection
	}
	return c.withFaults(handle)
}
