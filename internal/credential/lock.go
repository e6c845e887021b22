package credential

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/payctl/payctl/internal/safefile"
)

const (
	lockTimeout = 10 * time.Second
	lockPoll    = 5 * time.Millisecond
)

// lockFile locks a file against other processes, for at most timeout. The file is made where it is not there, and stays: one
// that is removed could be held by two at once. A process that dies gives its locks back.
func lockFile(ctx context.Context, path string, timeout time.Duration) (unlock func(), err error) {
	if err := safefile.File(path, safefile.Anybody, again); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unsafeFile(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.OpenFlags), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
			return nil, &kinded{
				kind: ErrTimeout, cause: fmt.Errorf("another process holds %s", path),
				next: "wait for the other payctl to end, or end it, and run the command again",
			}
		}
		return nil, err
	}
	// Closing the file, which Unlock does too, gives the lock back in any case.
	return func() { _ = l.Unlock() }, nil
}

// A Sharer is a store that several processes can take turns at.
type Sharer interface {
	// Turn waits until no other process has the turn for the login of k, and takes it until release is called. Whoever
	// renews a login takes it, so that one of several processes does and the others find what it stored. A turn that
	// cannot be had within ten seconds, or at all, is an error; the login may be used all the same.
	Turn(ctx context.Context, k Key) (release func(), err error)
}

// turn takes the turn for a login by a lock in the folder dir.
func turn(ctx context.Context, dir string, k Key) (release func(), err error) {
	if err := ensureFolder(dir); err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, turnsName)
	if err := ensureFolder(dir); err != nil {
		return nil, err
	}
	return lockFile(ctx, filepath.Join(dir, hidden(k)), lockTimeout)
}

// ensureFolder makes the folder where it is not there, and refuses one that is not the user's own.
func ensureFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return unsafeFile(safefile.Folder(dir))
}

// hidden is a file's name for a login that tells nobody which services there are.
func hidden(k Key) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", k.Profile, k.Origin))
	return hex.EncodeToString(sum[:16])
}
