package sqlite

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// What is SQLite's own; another engine has other words for it.
const (
	driverName = "sqlite"
	// beginUpdate waits for other processes' writes before anything is read, so that no update is built on what another
	// process is about to change.
	beginUpdate = "BEGIN IMMEDIATE"
	beginView   = "BEGIN"
	endView     = "ROLLBACK"
	// dataVersion is a number that changes when another connection, of this process or not, commits.
	dataVersion = "PRAGMA data_version"
	checkpoint  = "PRAGMA wal_checkpoint(TRUNCATE)"
)

// pragmas are what every connection is set to.
var pragmas = []string{
	"busy_timeout(15000)",         // milliseconds to wait for other processes
	"journal_mode(WAL)",           // readers see the state before, while a writer writes
	"synchronous(FULL)",           // a commit is on the disk, or has failed
	"fullfsync(1)",                // where fsync alone does not mean that (macOS)
	"checkpoint_fullfsync(1)",     // likewise
	"wal_autocheckpoint(10000)",   // pages of 4 KiB
	"journal_size_limit(4194304)", // bytes that the log keeps when it begins anew
	"cache_size(-16384)",          // KiB
	"temp_store(MEMORY)",          // no files elsewhere
}

// dsn names the database to the driver.
func dsn(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "_error_rc": {"1"}}.Encode()}
	return name.String()
}

// Modes of what the store makes: nobody else may read it.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// prepare makes the folder and the file with modes that SQLite would not give them; the files that it makes beside have
// the mode of the database.
func prepare(folder, file string) error {
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes sure that a new file is found after a power cut.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such thing, and does it by itself
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// isBusy says whether another process keeps the database locked (SQLITE_BUSY).
func isBusy(err error) bool {
	const busy, primary = 5, 0xff
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code()&primary == busy
}
