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

// maxFile is how much of the file is read, in bytes: some thousand logins.
const maxFile = 1 << 20

// fileStore is the store in dir/credentials.json: an object with the logins by their names. It creates the folder with
// mode 0700 and the file with mode 0600, and refuses a file or folder that others may read or replace, as package
// securefile says.
//
// A change replaces the file in one step, under the lock of dir/credentials.lock, and is on the disk when Set or Delete
// returns. It removes the temporary file of a process that was killed, which contains secrets; a Get that finds no login
// does as well. A file that cannot be decoded is ErrCorrupt for every method and stays as it is.
type fileStore struct{ folder }

// logins are the logins of the file. Those of others are kept as they are.
type logins map[string]jsontext.Value

func (*fileStore) Name() string { return KindFile }

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

// change loads the file, changes its content and replaces it, under the lock. It removes a file without logins.
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

// load reads the file, without a lock, since it is replaced in one step. One that does not exist has no logins. The
// errors of the JSON package are not passed on: they quote the input.
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

// checkFolder refuses a folder in which others could replace the file. A folder that does not exist holds no login.
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
	e := &Error{Op: op, Store: KindFile, Key: k, Err: err}
	_, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, ErrCorrupt):
		e.next = securefile.Move(f.path()).With("moves it away; then log in again")
	case errors.Is(err, securefile.ErrLockHeld):
		e.Err, e.next = fmt.Errorf("%w: %w", ErrTimeout, err), shell.Note("wait for the other payctl to end, or end it, and run the command again")
	case isPath:
		e.next = shell.Note("make sure that you can read and write %s", f.dir)
	}
	return e
}
