package journal

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/payctl/payctl/internal/sqlitefile"
)

// migrations are named by their number in four digits, from 0001 without a gap. One that was released never changes. How
// many of them a file has had is its user_version.
//
//go:embed migrations/*.sql
var migrations embed.FS

// pragmas are what every connection is set to.
var pragmas = []string{
	"busy_timeout(20)",  // milliseconds that SQLite waits for other processes; the rest is waited here, and can be ended
	"journal_mode(WAL)", // readers and a writer do not wait for each other
	"synchronous(FULL)", // a commit is on the disk, or has failed
	"fullfsync(1)",      // where fsync alone does not mean that (macOS)
	"checkpoint_fullfsync(1)",
	"cache_size(-4096)",        // KiB
	"wal_autocheckpoint(4000)", // pages of 4 KiB: less often, since rows of many transfers share pages
	"temp_store(MEMORY)",
}

// dataSource names the file to the driver.
func dataSource(path string) string {
	return sqlitefile.DataSource(path, url.Values{
		"_pragma": pragmas, "_txlock": {"immediate"},
		"mode": {"rw"}, // it is made with its mode beforehand; one that was taken away is not made anew
	})
}

// Bounds of the wait for a lock of another process.
const (
	lockPoll        = 5 * time.Millisecond
	longestPatience = 15 * time.Second
)

// unlocked does something as soon as no other process has locked the file: at once, or again and again. The error is
// ErrLocked, or the context's cause, where that does not come about.
func unlocked(ctx context.Context, patience time.Duration, do func() error) error {
	end := time.Now().Add(patience)
	for {
		err := do()
		if !sqlitefile.HasCode(err, sqlitefile.Busy) {
			if cause := context.Cause(ctx); err != nil && cause != nil {
				return cause
			}
			return err
		}
		if err := awaitLock(ctx, end); err != nil {
			return err
		}
	}
}

// awaitLock waits for a moment. The error says why waiting has an end.
func awaitLock(ctx context.Context, end time.Time) error {
	if !time.Now().Before(end) {
		return ErrLocked
	}
	select {
	case <-time.After(lockPoll):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// migrate brings the file to what this version of the program needs. Of processes that start together one does it. While
// one of them turns the write-ahead log on, SQLite tells the others that the file is busy without waiting for it.
func migrate(ctx context.Context, db *sql.DB) error {
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

// versionOf is how many migrations a file has had: none, when it is empty. The error is errForeign for a database of
// another program.
func versionOf(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (version int, err error) {
	const ours, query = 0x70617963, // "payc"
		"SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)"
	var application, tables int
	err = db.QueryRowContext(ctx, query).Scan(&version, &application, &tables)
	isNew := version == 0 && application == 0 && tables == 0
	if err == nil && application != ours && !isNew {
		err = errForeign
	}
	return version, err
}

// errForeign says that a file is a database, and no journal.
var errForeign = errors.New("it is the database of another program")

// explain adds to an error of the file what to do about it.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("%w: %s; use that version, or another state folder", ErrNewer, path)
	case errors.Is(err, ErrLocked):
		return fmt.Errorf("%w: %s; try again, or allow more time with --timeout", ErrLocked, path)
	case errors.Is(err, ErrGone):
		return fmt.Errorf("%w: %s; run the same line again, which finds at the service what was sent", ErrGone, path)
	case errors.Is(err, errForeign), errors.Is(err, sqlitefile.ErrCut), sqlitefile.HasCode(err, sqlitefile.Corrupt, sqlitefile.NotADatabase):
		return fmt.Errorf("%w: %s (%w); move it away, and settle what was open by looking at the service's transfers", ErrCorrupt, path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &UnusableError{path, err}
}
