package sandbox

import (
	"context"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// Of requests with the same idempotency key the store lets one have an effect. While a fault delays that one, another
// server has to know, or its request would come first. So the world's record names the keys of delayed requests.

// keyHeldAfterDelay is how long a key stays in use after the delay, if the server is killed that delays the request.
const keyHeldAfterDelay = 5 * time.Second

// holdKey marks a key as in use in a record, and removes those whose time is over.
func (w *World) holdKey(record *store.World, key string, delay time.Duration) {
	now := w.clock.machine()
	left := slices.DeleteFunc(slices.Clone(record.KeysInUse), func(k store.KeyInUse) bool { return !k.Until.After(now) })
	record.KeysInUse = append(left, store.KeyInUse{Key: key, Until: now.Add(delay + keyHeldAfterDelay)})
}

// holdsKey returns a function that reports whether an element is about a key.
func holdsKey(key string) func(store.KeyInUse) bool {
	return func(k store.KeyInUse) bool { return k.Key == key }
}

// AwaitKey waits until no request that another server delays has an idempotency key, for as long as wait at most. It
// reports whether the key is free.
func (w *World) AwaitKey(ctx context.Context, operation, key string, wait time.Duration) (free bool, err error) {
	if len(w.record.Load().KeysInUse) == 0 { // as nearly always
		return true, nil
	}
	held := holdsKey(operation + " " + key)
	inUse := func(record *store.World) bool {
		at := slices.IndexFunc(record.KeysInUse, held)
		return at >= 0 && record.KeysInUse[at].Until.After(w.clock.machine())
	}
	changed, stop := w.worlds.config.Store.Watch(w.client)
	defer stop()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		record, err := w.storedRecord(ctx)
		if err != nil || !inUse(record) {
			return true, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// ReleaseKey ends the use of a key by a request that was delayed at this server.
func (w *World) ReleaseKey(operation, key string) {
	if len(w.record.Load().KeysInUse) == 0 {
		return
	}
	held := holdsKey(operation + " " + key)
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	_ = w.changeRecord(ctx, func(record *store.World) (changed bool) { // otherwise its time passes
		left := slices.DeleteFunc(slices.Clone(record.KeysInUse), held)
		changed = len(left) < len(record.KeysInUse)
		record.KeysInUse = left
		return changed
	})
}
