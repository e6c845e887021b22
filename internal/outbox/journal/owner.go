package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/payctl/payctl/internal/securefile"
)

// An owner is a process that sends writes. Other processes see it as a file that is locked while it runs. The system
// releases the lock however the process ends.
type owner struct {
	folder, name string

	mu     sync.Mutex
	unlock func() // nil means not claimed yet
}

const ownersSuffix = ".owners" // of the folder next to the journal

func (o *owner) path(name string) string { return filepath.Join(o.folder, name+".lock") }

// claim locks the process's file, once, before the journal has its name.
func (o *owner) claim(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unlock != nil {
		return nil
	}
	err := securefile.MakeFolder(o.folder) // refuses a folder that others can change
	if err == nil {
		// Without its lock, other processes would take over its writes.
		o.unlock, err = securefile.Lock(ctx, o.path(o.name), 0)
	}
	return asUnsafe(err)
}

// alive reports whether the process with a name is running. It removes the file of one that is gone. If the file cannot
// be examined, it returns true: waiting is safe.
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
	release() // first, since Windows removes no open file
	_ = os.Remove(path)
	return false
}

// release unlocks and removes the process's file.
func (o *owner) release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unlock == nil {
		return nil
	}
	o.unlock()
	o.unlock = nil
	// Another process may have removed it since.
	if err := securefile.RemoveFile(o.path(o.name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
