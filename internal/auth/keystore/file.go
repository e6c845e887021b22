package keystore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
)

// maxFile is the largest file, in bytes: some thousand logins.
const maxFile = 1 << 20

// fileStore is the store in dir/credentials.json, an object with the logins by name. It creates the folder with mode
// 0700 and the file with mode 0600. It refuses a file or folder that others may read or replace (package securefile).
//
// A change replaces the file atomically, while it holds the lock dir/credentials.lock. It is on the disk when Set or
// Delete returns. A killed process may leave a temporary file with secrets, which a change removes, and a Get that
// finds no login too. If the file cannot be decoded, every method returns ErrCorrupt and does not change it.
type fileStore struct{ folder }

// logins are the logins of the file. A change does not decode those of other keys.
type logins map[string]jsontext.Value

func (*fileStore) Name() string { return FileStore }

func (f *fileStore) path() string { return filepath.Join(f.dir, fileName) }

func (f *fileStore) Get(ctx context.Context, k Key) (l Login, err error) {
	all, err := f.load(ctx)
	if err == nil && all[k.name()] == nil {
		err = ErrNotFound
		if _, leftover := os.Lstat(f.path() + securefile.TempSuffix); leftover == nil {
			err = f.change(ctx, func(logins) error { return ErrNotFound })
		}
	}
	if err == nil {
		l, err = decode(k, all[k.name()])
	}
	return l, f.explain("read the login", k, err)
}

func (f *fileStore) Set(ctx context.Context, k Key, l Login) error {
	data, err := encode(k, l)
	if err == nil && ctx.Err() == nil {
		err = securefile.MakeFolder(f.dir)
	}
	if err == nil {
		err = f.change(ctx, func(all logins) error {
			all[k.name()] = data
			return nil
		})
	}
	return f.explain("keep the login", k, err)
}

func (f *fileStore) Delete(ctx context.Context, k Key) error {
	return f.explain("delete the login", k, f.change(ctx, func(all logins) error {
		if all[k.name()] == nil {
			return ErrNotFound
		}
		delete(all, k.name())
		return nil
	}))
}

// change loads the file, changes its content and replaces it, with the lock. It removes a file without logins.
func (f *fileStore) change(ctx context.Context, change func(logins) error) error {
	if err := f.checkFolder(ctx); err != nil {
		return err
	}
	release, err := securefile.Lock(ctx, filepath.Join(f.dir, lockName), lockTimeout)
	if err != nil {
		return err
	}
	defer release()
	if err := securefile.Remove(f.path() + securefile.TempSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, err := f.load(ctx)
	if err == nil {
		err = change(all)
	}
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return securefile.Remove(f.path())
	}
	data, err := json.Marshal(all, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	return securefile.Replace(f.path(), append(data, '\n'))
}

// load reads the file. It needs no lock, since changes are atomic. A missing file has no logins. The errors of the JSON
// package quote the input, so load does not wrap them.
func (f *fileStore) load(ctx context.Context) (all logins, err error) {
	if err := f.checkFolder(ctx); err != nil {
		return nil, err
	}
	data, err := securefile.Read(f.path(), maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return logins{}, nil
	case err != nil:
		return nil, err
	case len(data) > maxFile || json.Unmarshal(textutil.Decode(data), &all) != nil || all == nil:
		return nil, fmt.Errorf("%w: %s", ErrCorrupt, f.path())
	}
	return all, nil
}

// checkFolder refuses a folder where others could replace the file. A missing folder has no login.
func (f *fileStore) checkFolder(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := securefile.CheckFolder(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// explain returns err as an *Error, or nil.
func (f *fileStore) explain(op string, k Key, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Store: FileStore, Key: k, Err: err}
	_, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, ErrCorrupt):
		e.next = securefile.Move(f.path()).With("moves it away; then log in again")
	case errors.Is(err, securefile.ErrLockHeld):
		e.Err = fmt.Errorf("%w: %w", ErrTimeout, err)
		e.next = shell.Note("wait for the other payctl to end, or end it, and run the command again")
	case isPath:
		e.next = shell.Note("make sure that you can read and write %s", f.dir)
	}
	return e
}
