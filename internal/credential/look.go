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
	name, err := userName(k)
	if err != nil {
		return Login{}, explain("get", k, err, false)
	}
	ctx, stop := context.WithTimeoutCause(ctx, r.timeout, ErrTimeout)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx) // for a bus that goes away meanwhile
	defer cancel(nil)
	found := make(chan Login, 1)
	err = race(ctx, func() error {
		locked, err := r.probe(ctx, func() { cancel(&kinded{kind: ErrAbsent}) })
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case locked:
			return &kinded{kind: ErrLocked, cause: errors.New("nobody was asked to unlock it")}
		}
		value, err := r.backend.Get(service, name)
		if err != nil {
			return err
		}
		login, err := decodeItem(k, value)
		found <- login
		return err
	})
	if err != nil {
		return Login{}, explain("get", k, err, false)
	}
	return <-found, nil
}
