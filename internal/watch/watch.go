// Package watch follows a resource until it is as somebody wants it. It learns of a change at once from a service that
// holds its answers (Prefer: wait), and asks at intervals where the service does not.
package watch

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// HoldFor is how long a service is asked to hold an answer.
const HoldFor = 30 * time.Second

// heldAtLeast tells a held answer from one that came at once.
const heldAtLeast = time.Second

// A Watch follows one resource.
type Watch[T any] struct {
	// Read reads the resource.
	Read func(context.Context, payments.Condition) (payments.Reading[T], error)
	// Each is called with the first state and every one that follows; done ends the watch.
	Each func(T) (done bool, err error)
	// Interval is the time between two questions to a service that does not hold its answers.
	Interval time.Duration
	// Trouble is called when the service cannot be reached or fails, and Recovered when it answers again. The watch
	// goes on; nil callbacks are not called.
	Trouble   func(error)
	Recovered func()

	troubled bool
}

// Run follows the resource until Each is done, the context ends or the service refuses.
func (w *Watch[T]) Run(ctx context.Context) error {
	var known payments.Condition
	for {
		asked := time.Now()
		reading, err := w.Read(ctx, known)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !passing(err):
			return err
		case err != nil:
			w.trouble(err)
		default:
			w.recovered()
			changed := !reading.NotModified && (known.ETag == "" || reading.ETag != known.ETag)
			if changed {
				if done, err := w.Each(reading.Value); done || err != nil {
					return err
				}
			}
			known = payments.Condition{ETag: reading.ETag, Wait: HoldFor}
			if changed && reading.ETag != "" || reading.NotModified && time.Since(asked) >= heldAtLeast {
				continue // ask again at once, so that no change falls between
			}
		}
		if err := sleep(ctx, jitter(w.Interval)); err != nil {
			return err
		}
	}
}

func (w *Watch[T]) trouble(err error) {
	if !w.troubled && w.Trouble != nil {
		w.Trouble(err)
	}
	w.troubled = true
}

func (w *Watch[T]) recovered() {
	if w.troubled && w.Recovered != nil {
		w.Recovered()
	}
	w.troubled = false
}

// passing says whether a failure may pass: no answer, or one that says that the service is in trouble.
func passing(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	if !ok {
		return false
	}
	switch refusal.Kind() {
	case payments.KindUnreachable, payments.KindTimeout, payments.KindUnusable, payments.KindRateLimited, payments.KindUnavailable, payments.KindInternal:
		return true
	}
	return refusal.Status >= 500
}

// jitter spreads an interval by a fifth, so that many watchers do not ask in step.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // spreading load needs no secret randomness
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
