package securefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrLockHeld is the error of [Lock] when another process holds the lock for too long.
var ErrLockHeld = errors.New("another process holds the lock")

// lockPoll is the time between two attempts to get a lock. A lock is usually held for a few milliseconds.
const lockPoll = 5 * time.Millisecond

// Lock locks the file at path against other processes. After waiting for wait it returns an error that matches
// [ErrLockHeld]. Lock creates a missing file. Nobody removes it: two processes could then each lock a file of that
// name. The system releases the locks of a process that ends.
func Lock(ctx context.Context, path string, wait time.Duration) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	file, err := OpenFile(path, os.O_CREATE|os.O_RDWR)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("%w %s", ErrLockHeld, path))
	defer cancel()
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|openFlags))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		if _, err = lock.TryLockContext(ctx, lockPoll); err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	// Unlock closes the file, which releases the lock in any case.
	return func() { _ = lock.Unlock() }, nil
}
