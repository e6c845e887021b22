package payments

import "context"

type epochKey struct{}

// WithEpoch returns a context for a request to a service, which writes there the instance id of the world that it read or
// changed last. A world gets a new one with each reset and restore. A call that needs no world leaves it unchanged.
func WithEpoch(ctx context.Context, epoch *string) context.Context {
	return context.WithValue(ctx, epochKey{}, epoch)
}

// NoteEpoch writes the instance id of a world to where the request of a context wants it, if it does.
func NoteEpoch(ctx context.Context, instance string) {
	if epoch, ok := ctx.Value(epochKey{}).(*string); ok {
		*epoch = instance
	}
}

type withoutRetry struct{}

// WithoutRateLimitRetry returns a context for a caller that paces its requests itself: a call that the service answers
// with 429 returns that error at once instead of being sent again.
func WithoutRateLimitRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetry{}, true)
}

// RetriesRateLimit reports whether a call in a context is sent again after a 429.
func RetriesRateLimit(ctx context.Context) bool { return ctx.Value(withoutRetry{}) == nil }
