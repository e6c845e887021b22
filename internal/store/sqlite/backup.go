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
	"github.com/payctl/payctl/internal/sqlitedb"
)

// A Copy describes a backup.
type Copy struct {
	Bytes     int64 `json:"bytes"`
	Worlds    int   `json:"worlds"`
	Transfers int   `json:"transfers"`
}

// A FolderError is the reason why a folder cannot be copied, rather than why the copy cannot be written.
type FolderError struct{ Err error }

// Error implements error.
func (e *FolderError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

// Backup copies the database of a folder, which a server may be using, to a new file. The copy has one state of the
// folder, and is a folder's payctl.db in its turn. The error wraps fs.ErrExist if the file exists, and is a *FolderError
// if the folder has no data that can be read.
func Backup(ctx context.Context, folder, file string) (copied Copy, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return copied, err
	}
	if file, err = filepath.Abs(file); err != nil {
		return copied, err
	}
	// The mode is rw as a log without its index, which a killed server leaves, can be read in no other one.
	db, err := openForBackup(filepath.Join(folder, databaseName))
	if err != nil {
		return copied, &FolderError{err}
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, countDocuments).Scan(&copied.Worlds, &copied.Transfers); err != nil {
		return copied, &FolderError{err}
	}
	if _, err := os.Lstat(file); err == nil {
		return copied, &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist}
	}
	// What an interrupted backup leaves has another name, so that nobody takes it for a whole one.
	partial := file + ".partial"
	if err := securefile.RemoveFile(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return copied, err
	}
	created, err := securefile.CreateNew(partial) // SQLite fills an empty file
	if err != nil {
		return copied, err
	}
	_, err = db.ExecContext(ctx, copyDatabase, partial)
	if err == nil {
		err = created.Sync()
	}
	info, failed := created.Stat()
	if err = errors.Join(err, failed, created.Close()); err == nil {
		err = os.Rename(partial, file)
	}
	if err != nil {
		return copied, errors.Join(err, securefile.RemoveFile(partial))
	}
	copied.Bytes = info.Size()
	return copied, securefile.SyncFolder(filepath.Dir(file))
}

// openForBackup opens a database that exists.
func openForBackup(path string) (*sql.DB, error) {
	if _, err := os.Lstat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("it has no database %s: %w", databaseName, fs.ErrNotExist)
		}
		return nil, err
	}
	db, _, err := sqlitedb.Open(path, then, pragmas...)
	return db, err
}
