// Package wait waits for things in a way that a context can end.
package wait

import (
	"context"
	"time"
)

// Sleep waits for a while. The error is the context's cause, if that ends earlier.
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

// For does work that nothing interrupts, such as reading a pipe that nobody writes to, and returns what it returns, or the
// context's cause if that ends earlier. The work is then left behind, and what it gets is lost.
func For[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	}
}
