// Package sqlitedb opens the program's SQLite databases, the reference service's and the journal, and writes to them:
// it creates the file with a private mode, keeps prepared statements, waits for locks of other processes, and commits the
// writes of many goroutines together (group commit, see Writer).
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

// suffixes are those of the files that make up a database in WAL mode, or while it leaves that mode
// (https://www.sqlite.org/tempfiles.html).
var suffixes = []string{"", "-wal", "-shm", "-journal"}

// ErrGone is returned if the file or its folder was removed, moved away or replaced since it was opened.
var ErrGone = errors.New("the database was taken away while it was used")

// Places are the folder and the files of the database at path, with the rule for each: another user must not be able to
// read or change the data, or to put another database in its place.
func Places(path string) []securefile.Place {
	places := []securefile.Place{securefile.FolderPlace(filepath.Dir(path), true)}
	for _, suffix := range suffixes {
		places = append(places, securefile.FilePlace(path+suffix))
	}
	return places
}

// Check applies the rules of [Places] to what exists.
func Check(path string) error {
	for _, place := range Places(path) {
		if err := place.Check(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ErrCut is returned for a file of one byte. SQLite would make a new database of it (unixFileSize in its os_unix.c),
// but it is what is left of another one, whose content must not count as never written.
var ErrCut = errors.New("it is no database any more: one byte of it is left")

// pragmas are set on every connection.
var pragmas = []string{
	"journal_mode(WAL)",       // readers see the state before a commit and do not wait for it
	"synchronous(FULL)",       // a commit is on the disk, or has failed
	"fullfsync(1)",            // where fsync alone does not reach the disk (macOS)
	"checkpoint_fullfsync(1)", // likewise
	"temp_store(MEMORY)",      // no temporary files in other folders
}

// Open opens the database at an absolute path, with further pragmas for every connection. It creates the folder and the
// file with private modes where they do not exist. The error is a *securefile.Error if [Check] finds one, ErrCut, or why
// the file cannot be opened; SQLite looks at its content later.
//
// inPlace returns ErrGone if the path does not lead to that file any more. SQLite opens the file by its path for each
// connection, so all of this is checked again each time, after SQLite has opened the file and before it reads it.
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

// create creates the file of a database with mode 0600, which SQLite would not use. SQLite gives its companion files the
// same mode. create does nothing if the file is there.
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

// watchPlace returns a function whose error is ErrGone if the file at path or its folder is not the present one any
// more.
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

// A connector opens connections, and closes them at once if the file is not what it was found to be. The pragmas are set
// after that, since they already read and change the file.
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

// DataSource names a file to the driver modernc.org/sqlite, with the driver's settings. The path is absolute.
func DataSource(path string, settings url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return name.String()
}
