package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/securefile"
)

// A Copy describes a backup.
type Copy struct {
	Bytes     int64
	Worlds    int
	Transfers int
}

// A FolderError is the reason why a folder cannot be copied, rather than why the copy cannot be written.
type FolderError struct{ Err error }

// Error implements error.
func (e *FolderError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

// Backup copies the data of a folder, which processes may be using, to a new file: a database that has one state of the
// folder, and is a folder's payctl.db in its turn. It needs no log and nothing else of the folder. The error wraps
// fs.ErrExist if the file exists, fs.ErrNotExist if the folder has no data, or is that of Open.
//
// The copy reads one snapshot. Writers do not wait for it, but the log grows until it is done.
func Backup(ctx context.Context, folder, file string) (copied Copy, err error) {
	if _, err := os.Stat(filepath.Join(folder, fileName)); errors.Is(err, fs.ErrNotExist) {
		if _, known, _ := readState(folder); !known { // otherwise Open explains what was lost
			return copied, &FolderError{fmt.Errorf("it has no database %s: %w", fileName, fs.ErrNotExist)}
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return copied, err
	}
	if err := mustNotExist(file); err != nil {
		return copied, err
	}
	s, err := Open(ctx, folder)
	if err != nil {
		return copied, &FolderError{err}
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	temp, err := os.CreateTemp(filepath.Dir(file), ".payctl-*") // with mode 0600; SQLite fills an empty file
	if err != nil {
		return copied, err
	}
	defer func() {
		if removal := os.Remove(temp.Name()); !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}()
	if _, err := s.writer.DB.ExecContext(ctx, "VACUUM INTO $1", temp.Name()); err != nil {
		return copied, errors.Join(err, temp.Close())
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return copied, err
	}
	if copied, err = readDatabase(ctx, temp.Name(), describe); err != nil {
		return copied, err
	}
	info, err := os.Stat(temp.Name())
	if err != nil {
		return copied, err
	}
	copied.Bytes = info.Size()
	if err := mustNotExist(file); err != nil {
		return copied, err
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return copied, err
	}
	return copied, securefile.SyncFolder(filepath.Dir(file))
}

func mustNotExist(file string) error {
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return &fs.PathError{Op: "backup", Path: file, Err: fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// describe counts what a database has.
func describe(ctx context.Context, db *sql.DB) (c Copy, err error) {
	err = db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM worlds), (SELECT count(*) FROM transfers)").
		Scan(&c.Worlds, &c.Transfers)
	return c, err
}
