package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/securefile"
)

// An owner is a process that sends writes, as other processes see it: a file that is locked while the process runs. The
// system releases the lock however the process ends.
type owner struct {
	folder   string
	name     string
	patience time.Duration

	mu     sync.Mutex
	unlock func() // nil: not claimed yet
}

const (
	ownersSuffix = ".owners" // of the folder next to the journal
	lockSuffix   = ".lock"
	gateName     = "gate" + lockSuffix // locked while a process creates its file, which looks like that of a dead one then
)

func newOwner(journal, name string, patience time.Duration) *owner {
	return &owner{folder: journal + ownersSuffix, name: name, patience: patience}
}

func (o *owner) path(name string) string { return filepath.Join(o.folder, name+lockSuffix) }

// claim locks the process's file, once, and removes the files of processes that are gone.
func (o *owner) claim(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unlock != nil {
		return nil
	}
	if err := makeFolder(o.folder); err != nil {
		return err
	}
	release, err := o.lock(ctx, filepath.Join(o.folder, gateName), o.patience)
	if err != nil {
		return err
	}
	defer release()
	o.removeDead()
	// Without its lock, other processes would take over its writes.
	o.unlock, err = o.lock(ctx, o.path(o.name), 0)
	return err
}

func (o *owner) lock(ctx context.Context, path string, wait time.Duration) (release func(), err error) {
	release, err = securefile.Lock(ctx, path, wait)
	if errors.Is(err, securefile.ErrLockHeld) {
		return nil, ErrLocked
	}
	return release, asUnsafe(err)
}

// removeDead removes the files of processes that are gone. The caller holds the gate.
func (o *owner) removeDead() {
	entries, err := os.ReadDir(o.folder)
	if err != nil {
		return // the files do no harm
	}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), lockSuffix)
		if ok && entry.Name() != gateName && !o.alive(name) {
			_ = os.Remove(o.path(name))
		}
	}
}

// alive reports whether the process of a name is running. If its file cannot be examined it counts as running: to wait
// for it is safe.
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
	release, err := securefile.Lock(context.Background(), path, 0)
	if err != nil {
		return true
	}
	release()
	return false
}

// release unlocks and removes the process's file.
func (o *owner) release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unlock == nil {
		return nil
	}
	o.unlock() // first, since Windows removes no open file
	o.unlock = nil
	// Another claim may have removed it, or may be looking at it.
	if err := securefile.RemoveFile(o.path(o.name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
