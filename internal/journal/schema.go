package journal

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// migrations are named by their number in four digits, from 0001 without a gap. One that was released never changes. How
// many of them a file has had is its user_version.
//
//go:embed migrations/*.sql
var migrations embed.FS

// pragmas are what every connection is set to.
var pragmas = []string{
	"busy_timeout(15000)", // milliseconds to wait for other processes
	"journal_mode(WAL)",   // readers and a writer do not wait for each other
	"synchronous(FULL)",   // a commit is on the disk, or has failed
	"fullfsync(1)",        // where fsync alone does not mean that (macOS)
	"checkpoint_fullfsync(1)",
	"cache_size(-8192)",        // KiB
	"wal_autocheckpoint(4000)", // pages of 4 KiB: less often, since rows of many transfers share pages
	"temp_store(MEMORY)",
}

// dataSource names the file to the driver.
func dataSource(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}.Encode()}
	return name.String()
}

// Bounds of the wait for processes that open the same file at the same moment.
const (
	openPoll    = 5 * time.Millisecond
	openTimeout = 15 * time.Second
)

// migrate brings the file to what this version of the program needs. Of processes that start together one does it. While
// one of them turns the write-ahead log on, SQLite tells the others that the file is busy without waiting for it.
func migrate(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for {
		err := migrateOnce(ctx, db)
		if !hasCode(err, codeBusy) {
			return err
		}
		select {
		case <-time.After(openPoll):
		case <-ctx.Done():
			return err
		}
	}
}

func migrateOnce(ctx context.Context, db *sql.DB) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := versionOf(ctx, db)
	if err != nil || version == len(files) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if version, err = versionOf(ctx, tx); err != nil {
		return err
	}
	if version > len(files) {
		return ErrNewer
	}
	for i, file := range files[version:] {
		script, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", script, version+i+1)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func versionOf(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// explain adds to an error of the file what to do about it.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("%w: %s; use that version, or another state folder", ErrNewer, path)
	case hasCode(err, codeCorrupt, codeNotADatabase):
		return fmt.Errorf("%w: %s (%w); move it away, and settle what was open by looking at the service's transfers", ErrCorrupt, path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("the journal %s cannot be used: %w", path, err)
}

// Codes of SQLite: SQLITE_BUSY, SQLITE_CORRUPT and SQLITE_NOTADB.
const (
	codeBusy         = 5
	codeCorrupt      = 11
	codeNotADatabase = 26
)

// hasCode says whether SQLite gives one of some codes as the reason of an error.
func hasCode(err error, codes ...int) bool {
	const primary = 0xff // the rest says more
	var coded interface{ Code() int }
	return errors.As(err, &coded) && slices.Contains(codes, coded.Code()&primary)
}
