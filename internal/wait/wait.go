// Package wait has waits that end with their context, concurrent work, the backoff between attempts, and a way to pass
// on panics of other goroutines.
package wait

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"
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
// the context ends first, For returns its cause. The work then goes on in its goroutine and its result is lost.
func For[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := ctx.Done() // before the work begins: a context may not watch for its end before this call
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

// Concurrency is how many calls Each makes at a time.
const Concurrency = 8

// Each calls work for every i below count, several at a time, and stops at the first error. If work panics, Each does.
func Each(ctx context.Context, count int, work func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(Concurrency)
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return CatchPanic(func() error { return work(ctx, i) })
		})
	}
	err := group.Wait()
	PassOnPanic(err)
	return err
}

// A Backoff computes the pauses between attempts: exponential backoff with full jitter. The bound of a pause starts at
// First and doubles with each failure in a row, up to Longest. The pause is random between zero and that bound, so that
// clients that failed together do not return together. A Backoff has no state and may be used concurrently.
type Backoff struct {
	First, Longest time.Duration
	// Rand returns a number in [0, 1). Nil means the standard library's generator.
	Rand func() float64
}

// Pause returns how long to wait after this many failures in a row, counted from one. The pause is never shorter than
// retryAfter, which the server asked for (RFC 9110 section 10.2.3). If retryAfter is at least a millisecond, the pause
// exceeds it by at most First. A shorter one does not end the exponential growth.
func (b Backoff) Pause(failures int, retryAfter time.Duration) time.Duration {
	bound := min(b.First, b.Longest)
	if retryAfter < time.Millisecond {
		for i := 1; i < failures && bound < b.Longest; i++ {
			bound = min(2*bound, b.Longest)
		}
	}
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	return max(retryAfter, 0) + time.Duration(random()*float64(bound))
}

// A PanicError is a panic of a goroutine. The goroutine that waits for it panics instead, where a caller can restore
// the terminal.
type PanicError struct {
	value any
	stack []byte
}

// Error implements error.
func (p *PanicError) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// CatchPanic runs work and returns its error, or a *PanicError if it panics.
func CatchPanic(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value, debug.Stack()}
		}
	}()
	return work()
}

// PassOnPanic panics if err is a *PanicError.
func PassOnPanic(err error) {
	if p, ok := errors.AsType[*PanicError](err); ok {
		panic(p.Error())
	}
}
