package credential

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Littered store is one in which a writer that was killed may have left logins half-done.
type Littered interface {
	// RemoveLeftover takes that away, and nothing else: what is stored stays, and where nothing was left nothing is touched.
	// An error says that the login of k, for which it is done, may be among it still.
	RemoveLeftover(ctx context.Context, k Key) error
}

// RemoveLeftover implements Littered.
func (f *file) RemoveLeftover(ctx context.Context, k Key) error {
	if _, err := os.Lstat(f.leftover()); errors.Is(err, fs.ErrNotExist) {
		return nil // without the lock, whose file may be one that cannot be made
	}
	unlock, err := f.lock(ctx) // until then it may be what a writer is at work on
	if err != nil {
		return f.explain("delete", k, err)
	}
	defer unlock()
	return f.explain("delete", k, f.removeLeftover())
}

// removeLeftover takes away what a writer that was killed, or could not clean up, left half-done: it has secrets, which are not to
// outlive the login that they are of. The lock is held.
func (f *file) removeLeftover() error { return ignoreMissing(os.Remove(f.leftover())) }

func (f *file) leftover() string { return filepath.Join(f.dir, tempName) }
