// Package sqlitedb opens the SQLite databases of the reference service and of the journal, and writes to them.
// It creates files with a private mode, keeps prepared statements, and waits for locks of other processes.
// [Writer] commits the writes of many goroutines together (group commit).
package sqlitedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"github.com/payctl/payctl/internal/securefile"
)

// suffixes are those of a database's files in WAL mode, and while it leaves that mode
// (https://www.sqlite.org/tempfiles.html).
var suffixes = []string{"", "-wal", "-shm", "-journal"}

// ErrGone means that the file or its folder was removed, moved or replaced since it was opened.
var ErrGone = errors.New("the database was removed or replaced while in use")

// FileRules are the rules for the folder and the files of the database at path. Other users must not be able to read,
// change or replace the data.
func FileRules(path string) []securefile.FileRule {
	rules := []securefile.FileRule{securefile.RuleForFolder(filepath.Dir(path), true)}
	for _, suffix := range suffixes {
		rules = append(rules, securefile.RuleForFile(path+suffix))
	}
	return rules
}

// Check applies [FileRules] to the files that exist.
func Check(path string) error {
	for _, rule := range FileRules(path) {
		if err := rule.Check(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ErrCut means that the file has one byte. SQLite would turn it into an empty database (unixFileSize in its os_unix.c),
// and the lost content would count as never written.
var ErrCut = errors.New("not a database any more: only one byte is left")

// pragmas are set on every connection.
var pragmas = []string{
	"journal_mode(WAL)",       // readers see the state before a commit and do not wait for it
	"synchronous(FULL)",       // a commit is on the disk, or has failed
	"fullfsync(1)",            // where fsync alone does not reach the disk (macOS)
	"checkpoint_fullfsync(1)", // the same
	"temp_store(MEMORY)",      // no temporary files in other folders
}

// Open opens the database at an absolute path, with further pragmas for every connection. It creates a missing folder
// or file with a private mode. The error may be ErrCut or a *securefile.Error of [Check]. SQLite reads the content
// later.
//
// inPlace returns ErrGone if the path no longer leads to that file. SQLite opens the path again for each connection.
// Each time, inPlace and Check run after SQLite has opened the file and before it reads it.
func Open(path string, more ...string) (db *sql.DB, inPlace func() error, err error) {
	if err := securefile.MakeFolder(filepath.Dir(path)); err != nil {
		return nil, nil, err
	}
	if err := create(path); err != nil {
		return nil, nil, err
	}
	if inPlace, err = watchPlace(path); err != nil {
		return nil, nil, err
	}
	if err := Check(path); err != nil {
		return nil, nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if info.Size() == 1 {
		return nil, nil, ErrCut
	}
	// An error is described by its own code, not by an earlier message of the connection (_error_rc). A file that is
	// removed before a connection opens it is not created again (mode).
	base, err := sqlite.NewConnector(DataSource(path, url.Values{"mode": {"rw"}, "_error_rc": {"1"}}))
	if err != nil {
		return nil, nil, err
	}
	check := func() error {
		if err := inPlace(); err != nil {
			return err
		}
		return Check(path)
	}
	return sql.OpenDB(&connector{base, slices.Concat(more, pragmas), check}), inPlace, nil
}

// create creates the file of a database, if it is missing, with mode 0600. SQLite would use another mode. It gives its
// companion files the mode of this file.
func create(path string) error {
	if err := securefile.CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := securefile.CreateNew(path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), securefile.SyncFolder(filepath.Dir(path)))
}

// watchPlace returns a function that returns ErrGone if the file at path or its folder has been replaced since.
func watchPlace(path string) (func() error, error) {
	paths := []string{filepath.Dir(path), path}
	var present []fs.FileInfo
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		present = append(present, info)
	}
	return func() error {
		for i, path := range paths {
			now, err := os.Lstat(path)
			switch {
			case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(present[i], now):
				return ErrGone
			case err != nil:
				return err
			}
		}
		return nil
	}, nil
}

// A connector opens connections, and closes them if check fails. It sets the pragmas after the check, since they read
// and change the file.
type connector struct {
	driver.Connector
	pragmas []string
	check   func() error
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (c *connector) prepare(ctx context.Context, conn driver.Conn) error {
	if err := c.check(); err != nil {
		return err
	}
	for _, pragma := range c.pragmas {
		if _, err := conn.(driver.ExecerContext).ExecContext(ctx, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	return c.check() // the log and its index are open now, too
}

// DataSource is the data source name of a file for the driver modernc.org/sqlite. The path must be absolute.
func DataSource(path string, settings url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return name.String()
}
