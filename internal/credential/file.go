package credential

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/safefile"
)

// NewFile returns the store in dir/credentials.json. The folder is created with mode 0700
// and the file with mode 0600. A file that is not regular (a symbolic link, for one), that
// belongs to another user or that group or others have any right to is refused with
// ErrUnsafeFile, and so is a folder that is a link, belongs to another user or that group or
// others may write to. Windows has neither modes nor numeric owners: there only the kind of file
// is checked, and the folder's access list decides who may read it.
//
// A change replaces the file in one step and is on the disk when Set or Delete returns.
// Changes are guarded by dir/credentials.lock, which is never removed; waiting longer
// than ten seconds for it is ErrTimeout. Every change, also one that finds no login to delete, removes what a writer that was
// killed left beside the file. A file that does not parse is ErrCorrupt for
// every method and stays as it is.
func NewFile(dir string) Store { return &file{dir: dir, lockTimeout: lockTimeout} }

type file struct {
	dir         string
	lockTimeout time.Duration
}

func (f *file) Name() string { return KindFile }

func (f *file) path() string { return filepath.Join(f.dir, fileName) }

func (f *file) Get(ctx context.Context, k Key) (Login, error) {
	var l Login
	err := f.reading(ctx, func(d *document) error {
		i, ok := d.find(k)
		if !ok {
			return &kinded{kind: ErrNotFound}
		}
		l = d.Logins[i].login()
		return nil
	})
	return l, f.explain("get", k, err)
}

func (f *file) Set(ctx context.Context, k Key, l Login) error {
	l, err := prepare(k, l)
	if err == nil {
		err = f.changing(ctx, true, func(d *document) error {
			i, ok := d.find(k)
			if !ok {
				d.Logins = slices.Insert(d.Logins, i, entry{})
			}
			d.Logins[i] = entry{Profile: k.Profile, fields: toFields(l)}
			return nil
		})
	}
	return f.explain("set", k, err)
}

func (f *file) Delete(ctx context.Context, k Key) error {
	err := f.changing(ctx, false, func(d *document) error {
		i, ok := d.find(k)
		if !ok {
			return &kinded{kind: ErrNotFound}
		}
		d.Logins = slices.Delete(d.Logins, i, i+1)
		return nil
	})
	return f.explain("delete", k, err)
}

// reading takes no lock, since the file is replaced in one step, but for Windows, where a
// file that is being read cannot be replaced.
func (f *file) reading(ctx context.Context, do func(*document) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := f.checkDir(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		unlock, err := f.lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	d, err := load(f.path())
	if err != nil {
		return err
	}
	return do(d)
}

// changing loads, changes and replaces the file under the lock. A file without logins is removed.
func (f *file) changing(ctx context.Context, create bool, do func(*document) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var err error
	if create {
		err = ensureFolder(f.dir)
	} else {
		err = f.checkDir()
	}
	if err != nil {
		return err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := f.removeLeftover(); err != nil {
		return err
	}
	d, err := load(f.path())
	if err != nil {
		return err
	}
	if err := do(d); err != nil {
		return err
	}
	if len(d.Logins) == 0 {
		if err := os.Remove(f.path()); err != nil {
			return err
		}
		return safefile.SyncFolder(f.dir)
	}
	data, err := d.encode()
	if err != nil {
		return err
	}
	return replace(f.dir, data)
}

// checkDir refuses a folder in which others could replace the file. One that is not there holds no login.
func (f *file) checkDir() error {
	err := safefile.Folder(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &kinded{kind: ErrNotFound}
	}
	return unsafeFile(err)
}

// Turn implements Sharer.
func (f *file) Turn(ctx context.Context, k Key) (func(), error) {
	if err := f.checkDir(); err != nil {
		return nil, err
	}
	return turn(ctx, f.dir, k)
}

func (f *file) lock(ctx context.Context) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(f.dir, lockName), f.lockTimeout)
}

func (f *file) explain(op string, k Key, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Store: KindFile, Key: k, Cause: err}
	var known *kinded
	if errors.As(err, &known) {
		e.Kind, e.Cause, e.next = known.kind, known.cause, known.next
	}
	switch {
	case e.next != "":
	case errors.Is(e.Kind, ErrCorrupt):
		e.next = fmt.Sprintf("move it away (mv %s %s) and log in again", safefile.Quote(f.path()), safefile.Quote(f.path()+".bad"))
	case errors.Is(e.Kind, ErrTooLarge):
		e.next = "log out of profiles that you no longer use"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.next = "run the command again"
	case e.Kind == nil:
		e.next = fmt.Sprintf("make sure that you can read and write %s", safefile.Quote(f.dir))
	}
	return e
}
