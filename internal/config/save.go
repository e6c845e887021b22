package config

import (
	"context"
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
	lockWait  = 5 * time.Second
	lockRetry = 10 * time.Millisecond
)

// Save writes the changes made since [Load] and does nothing when there are none. They are made on what
// the file holds by now, under a lock, so that no change of another program is lost; comments and order
// stay. The file is replaced as a whole, mode 0600, in a folder that is made with mode 0700 where it does
// not exist; neither may be a link. The file is never
// left half written.
func (f *File) Save() error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	return f.save(ctx)
}

func (f *File) save(ctx context.Context) (err error) {
	if len(f.edits) == 0 {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return &FolderError{Op: "write", Path: f.dir, Err: err}
	}
	if err := refuseLink(f.dir, fs.ModeDir); err != nil {
		return err
	}
	if found, ok := errors.AsType[*safefile.Error](safefile.Folder(f.dir)); ok {
		return &FileError{Path: f.dir, Reason: found.Reason + "; " + found.Next}
	}
	unlock, err := lock(ctx, f.Path()+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	fresh, err := Load(f.dir, f.checks...)
	if err != nil {
		return err
	}
	for _, change := range f.edits {
		if err := change(fresh.doc); err != nil {
			return err
		}
	}
	data, err := fresh.doc.encode()
	if err != nil {
		return fmt.Errorf("save configuration: %w", err)
	}
	if len(data) > largestFile {
		return &FileError{Path: f.Path(), Reason: fmt.Sprintf("would grow larger than %d bytes; remove a profile", largestFile)}
	}
	if err := replace(f.Path(), data); err != nil {
		return err
	}
	f.doc, f.edits = fresh.doc, nil
	return nil
}

// lock takes a lock beside the file, for the file itself is replaced. The lock file stays behind: one
// that is deleted could be held by two at once.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	if err := refuseLink(path, 0); err != nil {
		return nil, err
	}
	held := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.OpenFlags), flock.SetPermissions(0o600))
	ok, err := held.TryLockContext(ctx, lockRetry)
	if ctx.Err() != nil && !ok {
		return nil, fmt.Errorf("save configuration: another program holds %s; try again when it is done: %w", path, ctx.Err())
	}
	if err != nil {
		return nil, &FolderError{Op: "write", Path: filepath.Dir(path), Err: err}
	}
	return held.Close, nil
}

// replace puts data in the place of the file at path in one step, on disk before it is seen. The lock is held.
func replace(path string, data []byte) error {
	if err := refuseLink(path, 0); err != nil {
		return err
	}
	temp := path + ".tmp"
	err := spool(temp, data)
	if err == nil {
		if err = os.Rename(temp, path); err == nil {
			err = safefile.SyncFolder(filepath.Dir(path))
		} else {
			err = errors.Join(err, os.Remove(temp))
		}
	}
	if err != nil {
		return &FolderError{Op: "write", Path: filepath.Dir(path), Err: err}
	}
	return nil
}

// spool writes data to a new file at path. One fixed name does, since its only user holds the lock, and so what a process that
// was killed left there goes.
func spool(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|safefile.OpenFlags, 0o600)
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// refuseLink passes what is absent or exactly of the wanted type.
func refuseLink(path string, want fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &FolderError{Op: "write", Path: path, Err: err}
	case info.Mode().Type() == want:
		return nil
	case info.Mode().Type()&fs.ModeSymlink != 0:
		return &FileError{Path: path, Reason: "a symbolic link, and the configuration is not written through one; replace it or point " + EnvConfigDir + " at the real folder"}
	}
	return &FileError{Path: path, Reason: "neither a regular file nor the folder that belongs here; move it away"}
}
