// Package wait has waits that end with their context, the backoff between attempts, and panics of goroutines that are
// waited for.
package wait

import (
	"context"
	"time"
)

// Sleep waits for d. If the context ends first, Sleep returns its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// For runs work that cannot be interrupted, such as reading from a pipe without a writer, and returns its result. If
// the context ends first, For returns its cause; the work then goes on in its goroutine and its result is lost.
func For[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := ctx.Done() // before the work begins: a context may begin to watch for its end only when it is asked
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ended:
		return *new(T), context.Cause(ctx)
	}
}
