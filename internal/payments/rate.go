package payments

import "context"

type paced struct{}

// Paced says that the caller waits by itself when a service is asked too often: a call in this context returns a refusal
// with status 429 at once, in place of being made again.
func Paced(ctx context.Context) context.Context { return context.WithValue(ctx, paced{}, true) }

// IsPaced says whether a context is Paced.
func IsPaced(ctx context.Context) bool { return ctx.Value(paced{}) != nil }
