package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// The files of a data folder. SQLite adds its own.
const (
	databaseName = "payctl.db"
	lockName     = "payctl.lock"
	// ackedName is the file with the number of the last commit that was acknowledged.
	ackedName = "payctl.commit"
)

// lockTimeout is how long a process waits for another one that is closing the folder.
const lockTimeout = time.Second

// schemaVersion is the user_version of the tables that this program makes.
const schemaVersion = 1

// pragmas are set on every connection, in addition to those of package sqlitedb.
var pragmas = []string{
	"busy_timeout(5000)",           // milliseconds that a backup and a commit may wait for each other
	"wal_autocheckpoint(4000)",     // pages of 4 KiB: copies the log into the database less often
	"journal_size_limit(33554432)", // bytes that the log keeps after a checkpoint: growing takes time
	"cache_size(-16384)",           // KiB
}

// ErrInUse is the error of a folder that another process has open.
var ErrInUse = errors.New("another process of payctl serve uses it; stop that, or choose another folder")

// ErrNewer means that a later version of the program has used the folder.
var ErrNewer = sqlitedb.ErrNewer

// ErrForeign means that the database has other tables than those of this program.
var ErrForeign = errors.New(databaseName + " is not a database of payctl serve, or has an earlier format")

// A LossError means that a folder lacks acknowledged data.
type LossError struct {
	Found, Acknowledged uint64 // numbers of commits
}

// Error implements error.
func (e *LossError) Error() string {
	return fmt.Sprintf("data is missing: %s ends with commit %d, but commit %d was acknowledged; "+
		"put the right %s and %s-wal back, or delete %s to go on without that data",
		databaseName, e.Found, e.Acknowledged, databaseName, databaseName, ackedName)
}

// openLog opens a data folder for Open.
func openLog(ctx context.Context, folder string) (opened *diskLog, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	if err := securefile.MakeFolder(folder); err != nil {
		return nil, err
	}
	l := &diskLog{wake: make(chan struct{}, 1), ended: make(chan struct{})}
	l.unlock, err = securefile.Lock(ctx, filepath.Join(folder, lockName), lockTimeout)
	if errors.Is(err, securefile.ErrLockHeld) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, writable(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.release())
		}
	}()
	if l.acked, err = openAcknowledged(folder); err != nil {
		return nil, writable(err)
	}
	path := filepath.Join(folder, databaseName)
	if l.db, l.inPlace, err = sqlitedb.Open(path, pragmas...); err != nil {
		return nil, err
	}
	if err := l.prepare(ctx); err != nil {
		return nil, explain(path, err)
	}
	go l.work()
	return l, nil
}

func writable(err error) error { return fmt.Errorf("it is read-only, or cannot be written: %w", err) }

// maxPathLength is in bytes (SQLITE_MAX_PATHLEN, os_unix.c), less the suffix -journal.
const maxPathLength = 512 - len("-journal")

// explain adds a reason to SQLite's error that it cannot open a database, which has none.
func explain(path string, err error) error {
	if len(path) > maxPathLength && sqlitedb.HasCode(err, sqlitedb.CannotOpen) {
		return fmt.Errorf("the path of %s has %d bytes, and SQLite opens paths of at most %d: %w",
			databaseName, len(path), maxPathLength, err)
	}
	if sqlitedb.HasCode(err, sqlitedb.CannotOpen, sqlitedb.InputOutput, sqlitedb.ReadOnly) {
		return fmt.Errorf("SQLite cannot create or open %s and its log there: it needs a local file system "+
			"with writing, locking and memory mapping: %w", databaseName, err)
	}
	return err
}

func openAcknowledged(folder string) (*os.File, error) {
	return securefile.OpenFile(filepath.Join(folder, ackedName), os.O_CREATE|os.O_RDWR)
}

// prepare creates the tables of a new database, and compares its last commit with the one that was acknowledged.
func (l *diskLog) prepare(ctx context.Context) error {
	var version, tables int
	if err := l.db.QueryRowContext(ctx, readVersion).Scan(&version, &tables); err != nil {
		return err
	}
	switch {
	case version > schemaVersion:
		return ErrNewer
	case version == 0 && tables > 0:
		return ErrForeign
	case version == 0:
		if _, err := l.db.ExecContext(ctx, createTables); err != nil {
			return err
		}
	}
	if err := l.db.QueryRowContext(ctx, readCommits).Scan(&l.number); err != nil {
		return err
	}
	acknowledged, err := readAcknowledged(l.acked)
	if err != nil {
		return err
	}
	if acknowledged > l.number {
		return &LossError{l.number, acknowledged}
	}
	if acknowledged == 0 && l.number > 0 {
		// The database is a backup, or lost data: clients may know of writes that it does not have.
		if _, err := l.db.ExecContext(ctx, renewWorlds); err != nil {
			return err
		}
	}
	return errors.Join(l.acknowledge(l.number), l.readWorlds(ctx))
}

func (l *diskLog) readWorlds(ctx context.Context) (err error) {
	rows, err := l.db.QueryContext(ctx, readWorlds)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var world string
		if err := rows.Scan(&world); err != nil {
			return err
		}
		l.Worlds = append(l.Worlds, world)
	}
	return rows.Err()
}

// release closes what Open has opened.
func (l *diskLog) release() error {
	var failed []error
	if l.db != nil {
		failed = append(failed, l.db.Close())
	}
	if l.acked != nil {
		failed = append(failed, l.acked.Close())
	}
	l.unlock()
	return errors.Join(failed...)
}
