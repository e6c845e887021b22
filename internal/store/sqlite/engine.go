package sqlite

import (
	"errors"
	"io/fs"
	"net/url"
	"os"

	_ "modernc.org/sqlite" // the driver

	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/sqlitefile"
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
	// writeNothing writes a page that stays as it is: nobody uses the number.
	writeNothing = "PRAGMA user_version = 0"
	// placeholder stands for a value where they come in order. The numbered ones of the other statements are names to SQLite,
	// each of which it would look for among all.
	placeholder = "?"
	// checkpoint copies the log into the database as far as nobody is in the way. It waits for nobody.
	checkpoint = "PRAGMA wal_checkpoint(PASSIVE)"
	// lastCheckpoint waits for others, and leaves the log empty.
	lastCheckpoint = "PRAGMA wal_checkpoint(TRUNCATE)"
)

// pragmas are what every connection is set to.
var pragmas = []string{
	"busy_timeout(15000)",          // milliseconds to wait for other processes
	"journal_mode(WAL)",            // readers see the state before, while a writer writes
	"synchronous(FULL)",            // a commit is on the disk, or has failed
	"fullfsync(1)",                 // where fsync alone does not mean that (macOS)
	"checkpoint_fullfsync(1)",      // likewise
	"wal_autocheckpoint(20000)",    // pages of 4 KiB; the checkpointer does it before
	"journal_size_limit(67108864)", // bytes that the log keeps when it begins anew, more than it needs: growing is dear
	"cache_size(-16384)",           // KiB
	"temp_store(MEMORY)",           // no files elsewhere
}

// dsn names the database to the driver.
func dsn(file string) string {
	return sqlitefile.DataSource(file, url.Values{"_pragma": pragmas, "_error_rc": {"1"}})
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
		return sqlitefile.Check(file)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return safefile.SyncFolder(folder)
}
