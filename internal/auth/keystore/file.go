package keystore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// NewFile returns the store in dir/credentials.json. It creates the folder with mode 0700 and the file with mode 0600.
// It refuses with ErrUnsafeFile a file that is not regular, that belongs to another user or that gives group or others
// any right, and a folder that is a link, belongs to another user or can be written to by group or others. On Windows the
// folder and the file get an access list for the user, SYSTEM and the administrators in place of a mode; those that were
// there before are refused only if they are of the wrong kind, and the doctor warns of their lists.
//
// A change replaces the file in one step and is on the disk when Set or Delete returns. Changes are made under the lock
// of dir/credentials.lock, which is never removed; waiting longer than ten seconds for it is ErrTimeout. Every change,
// and every Get that finds no login, removes the temporary file of a process that was killed, which contains secrets. A
// file that cannot be decoded is ErrCorrupt for every method and stays as it is.
func NewFile(dir string) Store { return &fileStore{dir: dir, lockTimeout: lockTimeout} }

type fileStore struct {
	dir         string
	lockTimeout time.Duration
}

func (f *fileStore) Name() string { return KindFile }

func (f *fileStore) path() string { return filepath.Join(f.dir, fileName) }

func (f *fileStore) Get(ctx context.Context, k Key) (Login, error) {
	content, err := f.read(ctx)
	if err != nil {
		return Login{}, f.explain("get", k, err)
	}
	if i := content.find(k); i >= 0 {
		return Login(content.Logins[i].storedLogin).inUTC(), nil
	}
	if err := f.removeLeftover(ctx); err != nil {
		return Login{}, f.explain("get", k, err)
	}
	return Login{}, f.explain("get", k, &Error{Kind: ErrNotFound})
}

func (f *fileStore) Set(ctx context.Context, k Key, l Login) error {
	l, err := prepare(k, l)
	if err == nil && ctx.Err() == nil {
		err = securefile.MakeFolder(f.dir)
	}
	if err == nil {
		err = f.change(ctx, func(content *fileContent) error {
			login := fileLogin{Profile: k.Profile, storedLogin: storedLogin(l.inUTC())}
			if i := content.find(k); i >= 0 {
				content.Logins[i] = login
			} else {
				content.Logins = append(content.Logins, login)
			}
			return nil
		})
	}
	return f.explain("set", k, err)
}

func (f *fileStore) Delete(ctx context.Context, k Key) error {
	err := f.change(ctx, func(content *fileContent) error {
		i := content.find(k)
		if i < 0 {
			return &Error{Kind: ErrNotFound}
		}
		content.Logins = slices.Delete(content.Logins, i, i+1)
		return nil
	})
	return f.explain("delete", k, err)
}

// read returns the content of the file. It takes no lock, since the file is replaced in one step.
func (f *fileStore) read(ctx context.Context) (*fileContent, error) {
	if err := f.checkFolder(ctx); err != nil {
		return nil, err
	}
	return f.load()
}

// change loads the file, changes its content and replaces it, under the lock. It removes a file without logins.
func (f *fileStore) change(ctx context.Context, change func(*fileContent) error) error {
	if err := f.checkFolder(ctx); err != nil {
		return err
	}
	release, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := f.removeTemp(); err != nil {
		return err
	}
	content, err := f.load()
	if err != nil {
		return err
	}
	if err := change(content); err != nil {
		return err
	}
	if len(content.Logins) == 0 {
		return securefile.Remove(f.path())
	}
	data, err := content.encode()
	if err != nil {
		return err
	}
	return securefile.Replace(f.path(), data)
}

// load reads the file. One that does not exist has no logins.
func (f *fileStore) load() (*fileContent, error) {
	data, err := securefile.Read(f.path(), maxFile, securefile.GroupAndOthers, logInAgain)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fileContent{Version: formatVersion}, nil
	case err != nil:
		return nil, err
	case len(data) > maxFile:
		return nil, corrupt("%s is longer than %d bytes", f.path(), maxFile)
	}
	content, err := decodeFile(plaintext.Bytes(data))
	if known, ok := errors.AsType[*Error](err); ok {
		known.Cause = fmt.Errorf("%s: %w", f.path(), known.Cause)
	}
	return content, err
}

// checkFolder refuses a folder in which others could replace the file. A folder that does not exist holds no login.
func (f *fileStore) checkFolder(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := securefile.CheckFolder(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Kind: ErrNotFound}
	}
	return err
}

// Lock implements Locker.
func (f *fileStore) Lock(ctx context.Context, k Key) (func(), error) {
	if err := f.checkFolder(ctx); err != nil {
		return nil, err
	}
	return lockLogin(ctx, f.dir, k)
}

func (f *fileStore) lock(ctx context.Context) (release func(), err error) {
	return securefile.Lock(ctx, filepath.Join(f.dir, lockName), f.lockTimeout)
}

// removeLeftover removes the temporary file of a process that was killed, under the lock: another process may be
// writing it.
func (f *fileStore) removeLeftover(ctx context.Context) error {
	if _, err := os.Lstat(f.path() + securefile.TempSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil // without the lock, since its file may be impossible to create
	}
	release, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f.removeTemp()
}

// removeTemp removes the temporary file. The caller holds the lock.
func (f *fileStore) removeTemp() error {
	if err := securefile.Remove(f.path() + securefile.TempSuffix); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// explain returns err as an *Error, or nil.
func (f *fileStore) explain(op string, k Key, err error) error {
	if err == nil {
		return nil
	}
	e := complete(err, op, KindFile, k)
	switch {
	case e.next != "":
	case errors.Is(e.Kind, ErrCorrupt):
		e.next = "move it away (" + securefile.MoveCommand(f.path()) + ") and log in again"
	case errors.Is(e.Kind, ErrTooLarge):
		e.next = "log out of profiles that you no longer use"
	case isContextEnd(err):
		e.next = "run the command again"
	case e.Kind == nil:
		e.next = shell.Hint("make sure that you can read and write FOLDER", shell.Values{"FOLDER": f.dir})
	}
	return e
}
