package payments

import "context"

type epochKey struct{}

// WithEpoch returns a context for a request to the reference service. The service sets epoch to the instance id of the
// world that it used last. Each reset and restore gives a world a new one.
func WithEpoch(ctx context.Context, epoch *string) context.Context {
	return context.WithValue(ctx, epochKey{}, epoch)
}

// NoteEpoch sets the epoch of a context, if it has one.
func NoteEpoch(ctx context.Context, instance string) {
	if epoch, ok := ctx.Value(epochKey{}).(*string); ok {
		*epoch = instance
	}
}

type withoutRetry struct{}

// WithoutRateLimitRetry returns a context for a caller that paces its requests itself. A call with it returns a 429 at
// once, and is not sent again.
func WithoutRateLimitRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetry{}, true)
}

// RetriesRateLimit reports whether a call in a context is sent again after a 429.
func RetriesRateLimit(ctx context.Context) bool { return ctx.Value(withoutRetry{}) == nil }
