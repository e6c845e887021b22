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
	if err := mustHaveData(folder); err != nil {
		return copied, &FolderError{err}
	}
	if err := securefile.CheckName(file); err != nil {
		return copied, err
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
	// In a folder of its own, which only the user can enter, no other user can take the file's place before SQLite
	// opens it.
	private, err := securefile.MakeTempFolder(filepath.Dir(file))
	if err != nil {
		return copied, err
	}
	defer func() { err = errors.Join(err, securefile.RemoveAll(private)) }()
	made := filepath.Join(private, fileName)
	if copied, err = s.copyTo(ctx, made); err != nil {
		return copied, err
	}
	if err := mustNotExist(file); err != nil {
		return copied, err
	}
	if err := securefile.Rename(made, file); err != nil {
		return copied, err
	}
	return copied, securefile.SyncFolder(filepath.Dir(file))
}

// mustHaveData returns an error that wraps fs.ErrNotExist if the folder has no data. If data is missing, Open explains
// what was lost.
func mustHaveData(folder string) error {
	files, err := openFiles(folder)
	if err == nil {
		defer files.Close()
		if _, err = files.Lstat(fileName); errors.Is(err, fs.ErrNotExist) {
			if _, known, _ := readState(files); known {
				return nil
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("it has no database %s: %w", fileName, fs.ErrNotExist)
	}
	return err
}

// copyTo writes a copy of the database to a new file, on the disk.
func (s *Store) copyTo(ctx context.Context, path string) (copied Copy, err error) {
	file, err := securefile.CreateNew(path) // SQLite fills an empty file
	if err != nil {
		return copied, err
	}
	_, err = s.db.db.ExecContext(ctx, "VACUUM INTO $1", path)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return copied, err
	}
	if copied, err = readDatabase(ctx, path, describe); err != nil {
		return copied, err
	}
	info, err := os.Lstat(path)
	if err == nil {
		copied.Bytes = info.Size()
	}
	return copied, err
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
