package credential

import (
	"context"
	"errors"
)

// Look is Get of a store, but never has a person unlock or confirm anything: a keyring that would ask is ErrLocked. Where the
// platform does not tell beforehand whether it would (macOS), it is asked all the same, within the usual deadline.
func Look(ctx context.Context, store Store, k Key) (Login, error) {
	if kept, ok := store.(*noted); ok {
		store = kept.Store
	}
	if ring, ok := store.(*ring); ok {
		return ring.look(ctx, k)
	}
	return store.Get(ctx, k)
}

func (r *ring) look(ctx context.Context, k Key) (Login, error) {
	var l Login
	err := r.call(ctx, "get", k, func(_ context.Context, user string, locked bool) (err error) {
		if locked {
			return &kinded{kind: ErrLocked, cause: errors.New("nobody was asked to unlock it")}
		}
		l, err = r.get(k, user)
		return err
	})
	if err != nil {
		return Login{}, err
	}
	return l, nil
}
