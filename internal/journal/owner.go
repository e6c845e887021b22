package journal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/payctl/payctl/internal/safefile"
)

// An owner is a process that sends writes, as the other processes see it: a file that is locked for as long as the
// process lives, however it ends.
type owner struct {
	folder   string
	name     string
	patience time.Duration

	mu   sync.Mutex
	lock *flock.Flock // nil: not claimed yet
}

const (
	ownersSuffix = ".owners" // of the folder beside the journal
	lockSuffix   = ".lock"
	gateName     = "gate" + lockSuffix // held while an owner comes, so that none takes it for one that is gone
	gatePoll     = 5 * time.Millisecond
)

func newOwner(journal, name string, patience time.Duration) *owner {
	return &owner{folder: journal + ownersSuffix, name: name, patience: patience}
}

func (o *owner) path(name string) string { return filepath.Join(o.folder, name+lockSuffix) }

// claim makes the process known, once. What processes left that are gone is taken away.
func (o *owner) claim(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lock != nil {
		return nil
	}
	if err := prepareFolder(o.folder); err != nil {
		return err
	}
	gate := fileLock(filepath.Join(o.folder, gateName))
	ctx, cancel := context.WithTimeoutCause(ctx, o.patience, ErrLocked)
	defer cancel()
	if _, err := gate.TryLockContext(ctx, gatePoll); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = gate.Unlock() }()
	o.sweep()
	lock := fileLock(o.path(o.name))
	switch held, err := lock.TryLock(); {
	case err != nil:
		return err
	case !held: // unseen, its writes would be taken for those of one that is gone
		return ErrLocked
	}
	o.lock = lock
	return nil
}

// sweep removes the files of owners that are gone. Whoever calls it holds the gate.
func (o *owner) sweep() {
	entries, err := os.ReadDir(o.folder)
	if err != nil {
		return // they do no harm
	}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), lockSuffix)
		if ok && entry.Name() != gateName && !o.alive(name) {
			_ = os.Remove(o.path(name))
		}
	}
}

// alive says whether the process of that name is running. A name that cannot be looked at counts as running: waiting is
// the safe side.
func (o *owner) alive(name string) bool {
	if name == "" {
		return false
	}
	if name == o.name {
		return true
	}
	path := o.path(name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|safefile.OpenFlags)) // without making it
	locked, err := lock.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if locked {
		_ = lock.Unlock()
	}
	return !locked
}

// release makes the process unknown.
func (o *owner) release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lock == nil {
		return nil
	}
	err := o.lock.Unlock() // first: Windows removes no file that is open
	o.lock = nil
	if removing := os.Remove(o.path(o.name)); !errors.Is(removing, fs.ErrNotExist) { // whoever swept meanwhile found it unlocked
		err = errors.Join(err, removing)
	}
	return err
}

func fileLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.OpenFlags), flock.SetPermissions(fileMode))
}
