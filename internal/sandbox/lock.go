package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// lockTimeout bounds how long a change of a world waits for another one. While the store does not respond, each change
// takes as long as the store tries; those that wait for it are not to take as long one after the other.
const lockTimeout = 10 * time.Second

// errLocked is why a change fails that has waited for lockTimeout.
var errLocked = errors.New("sandbox: another change of the world takes long")

// A lock is a mutex for which a caller waits for a limited time.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

// acquire waits for the lock. The error is the context's, or that of a store that is unavailable after lockTimeout.
func (l lock) acquire(ctx context.Context) error {
	timer := time.NewTimer(lockTimeout)
	defer timer.Stop()
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return store.Unavailable(errLocked)
	}
}

func (l lock) release() { <-l }
