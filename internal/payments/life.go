package payments

import "context"

type lifeKey struct{}

// WithLife returns a context in which a service notes into life which life of the client's world it looked at, or changed,
// last: its instance id. It stays as it is where the service needs no world.
func WithLife(ctx context.Context, life *string) context.Context {
	return context.WithValue(ctx, lifeKey{}, life)
}

// NoteLife is how a service does that.
func NoteLife(ctx context.Context, instance string) {
	if life, asked := ctx.Value(lifeKey{}).(*string); asked {
		*life = instance
	}
}
