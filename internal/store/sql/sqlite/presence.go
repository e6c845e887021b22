package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/payctl/payctl/internal/securefile"
)

// lockName is the file by whose locks the processes that use a folder know of each other. It stays empty.
const lockName = "payctl.lock"

// lockPoll is the time between two attempts to get a lock: short compared with the time for which one is held alone,
// which is a few milliseconds.
const lockPoll = 5 * time.Millisecond

// A presence is a lock that lasts as long as a process uses a folder. While a process opens the folder as the first
// one, or has closed it as the last one, it holds the lock alone.
type presence struct{ lock *flock.Flock }

func newPresence(folder *files) (presence, error) {
	file, err := folder.open(lockName, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return presence{}, unwritable(err)
	}
	lock := flock.New(folder.path(lockName), flock.SetFlag(os.O_RDWR|securefile.OpenFlags))
	return presence{lock}, file.Close()
}

func unwritable(err error) error { return fmt.Errorf("it is read-only, or cannot be written: %w", err) }

// enter waits until no process holds the lock alone. It reports whether this process does now, since no other uses the
// folder.
func (p presence) enter(ctx context.Context, patience time.Duration) (alone bool, err error) {
	err = p.retry(ctx, patience, func() (bool, error) {
		if alone, err = p.lock.TryLock(); alone || err != nil {
			return alone, err
		}
		return p.lock.TryRLock()
	})
	return alone, err
}

// share turns a lock that is held alone into one that others may hold too. In between, another process may hold it
// alone for a moment.
func (p presence) share(ctx context.Context, patience time.Duration) error {
	if err := p.lock.Unlock(); err != nil {
		return err
	}
	return p.retry(ctx, patience, p.lock.TryRLock)
}

// leave gives the lock up, and takes it again if no other process holds it. Then last is called.
func (p presence) leave(last func() error) error {
	if err := p.lock.Unlock(); err != nil {
		return err
	}
	alone, err := p.lock.TryLock()
	if err == nil && alone {
		err = errors.Join(last(), p.lock.Unlock())
	}
	return errors.Join(err, p.lock.Close())
}

func (p presence) retry(ctx context.Context, patience time.Duration, try func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("another process is opening it, and does not go on"))
	defer cancel()
	for {
		locked, err := try()
		if err != nil {
			return unwritable(err)
		}
		if locked {
			return nil
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
