package payments

import (
	"context"
	"time"
)

type epochKey struct{}

// WithEpoch returns a context in which a service writes the instance id of the world that it read or changed last to
// instance. A world gets a new instance id with each reset and restore. A call that needs no world leaves it unchanged.
func WithEpoch(ctx context.Context, instance *string) context.Context {
	return context.WithValue(ctx, epochKey{}, instance)
}

// NoteEpoch writes the instance id of a world to the place that WithEpoch named, if any.
func NoteEpoch(ctx context.Context, instance string) {
	if place, ok := ctx.Value(epochKey{}).(*string); ok {
		*place = instance
	}
}

type startKey struct{}

// WithStart returns a context for a request that begins now. What is read for it may be as old as that.
func WithStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startKey{}, time.Now())
}

// Start returns when the request of a context began, or the present time if no request is known.
func Start(ctx context.Context) time.Time {
	if start, ok := ctx.Value(startKey{}).(time.Time); ok {
		return start
	}
	return time.Now()
}

type withoutRetry struct{}

// WithoutRateLimitRetry returns a context for a caller that paces its requests itself: a call that the service answers
// with 429 returns that error at once instead of being sent again.
func WithoutRateLimitRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetry{}, true)
}

// RetriesRateLimit reports whether a call in a context is sent again after a 429.
func RetriesRateLimit(ctx context.Context) bool { return ctx.Value(withoutRetry{}) == nil }

type pauseKey struct{}

// WithPause returns a context for a caller that bounds how many calls are under way at once: a call that waits before
// its next attempt waits by pause, so that its caller can let another call run meanwhile.
func WithPause(ctx context.Context, pause func(context.Context, time.Duration) error) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Pause waits by the function that WithPause named, or else by sleep.
func Pause(ctx context.Context, d time.Duration, sleep func(context.Context, time.Duration) error) error {
	if pause, ok := ctx.Value(pauseKey{}).(func(context.Context, time.Duration) error); ok {
		return pause(ctx, d)
	}
	return sleep(ctx, d)
}
