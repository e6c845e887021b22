// Package sqlitedb opens the program's SQLite databases, the reference service's and the journal, and writes to them:
// it creates the file with a private mode, applies numbered migrations, keeps prepared statements, waits for locks of
// other processes, and commits the writes of many goroutines together (group commit, see Writer).
package sqlitedb

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/payctl/payctl/internal/securefile"
)

// Suffixes are those of the files that make up a database in WAL mode, or while it leaves that mode
// (https://www.sqlite.org/tempfiles.html).
func Suffixes() []string { return []string{"", "-wal", "-shm", "-journal"} }

// Create creates the file of a database with mode 0600, which SQLite would not use. SQLite gives its companion files the
// same mode. Create does nothing if the file is there.
func Create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL|securefile.OpenFlags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), securefile.SyncFolder(filepath.Dir(path)))
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

// Open opens the database in an existing file, with further pragmas for every connection. The path is absolute. The
// error is ErrCut, or why the file cannot be opened; SQLite looks at its content later.
func Open(path string, more ...string) (*sql.DB, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 1 {
		return nil, ErrCut
	}
	if err != nil {
		return nil, err
	}
	// A file that is removed before a connection opens it is not created again (mode), and an error is described by its
	// own code, not by an earlier message of the connection (_error_rc).
	return sql.Open("sqlite", DataSource(path, url.Values{
		"_pragma": slices.Concat(pragmas, more), "mode": {"rw"}, "_error_rc": {"1"},
	}))
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
