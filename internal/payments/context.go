package payments

import (
	"context"
	"time"
)

// A RequestInfo is what a service and its caller tell each other about a request, apart from its parameters.
type RequestInfo struct {
	// Start is when the request began. What is read for it may be as old as that.
	Start time.Time
	// Epoch is the instance id of the world that the service read or changed last. A world gets a new one with each reset
	// and restore. A call that needs no world leaves it unchanged.
	Epoch string
}

type requestKey struct{}

// WithRequest returns a context for a request.
func WithRequest(ctx context.Context, request *RequestInfo) context.Context {
	return context.WithValue(ctx, requestKey{}, request)
}

// NoteEpoch writes the instance id of a world to the request of a context, if it has one.
func NoteEpoch(ctx context.Context, instance string) {
	if request, ok := ctx.Value(requestKey{}).(*RequestInfo); ok {
		request.Epoch = instance
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
