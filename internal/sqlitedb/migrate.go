package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// ErrNewer is returned for a database that a later version of the program has migrated.
var ErrNewer = errors.New("the data was written by a later version of the program")

// Migrations bring a database to the version that this program uses. The version is SQLite's user_version: how many of
// the files have been applied.
type Migrations struct {
	// Files are named by their number in four digits, from 0001 without a gap. A file that was released never changes.
	Files fs.FS
	// Version reads the present version. Its error refuses the database.
	Version func(context.Context, Querier) (int, error)
	// CheckWritable makes Apply fail if the database is up to date but cannot be written.
	CheckWritable bool
}

// Querier is a *sql.DB or *sql.Conn.
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Apply applies the migrations that are missing, in one transaction. If processes start together, one of them does it.
// While it turns the write-ahead log on, SQLite returns Busy to the others at once, so that Apply tries again.
func (m Migrations) Apply(ctx context.Context, db *sql.DB, patience time.Duration) error {
	return Retry(ctx, patience, func() error {
		version, err := m.Version(ctx, db)
		if err != nil {
			return err
		}
		files, err := fs.Glob(m.Files, "migrations/*.sql")
		if err != nil || version == len(files) && !m.CheckWritable {
			return err
		}
		err = m.apply(ctx, db, files)
		if version == len(files) && HasCode(err, Busy) {
			return nil // another process is writing to it, so that it can be written
		}
		return err
	})
}

func (m Migrations) apply(ctx context.Context, db *sql.DB, files []string) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, beginWrite); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undone := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, undone)
		}
	}()
	version, err := m.Version(ctx, conn)
	if err != nil {
		return err
	}
	if version > len(files) {
		return ErrNewer
	}
	// SQLite begins a transaction that writes also where it can write nothing, and fails at the first write.
	if _, err := conn.ExecContext(ctx, setVersion(version)); err != nil {
		return fmt.Errorf("it is read-only, or cannot be written: %w", err)
	}
	for i, file := range files[version:] {
		script, err := fs.ReadFile(m.Files, file)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(script)+";"+setVersion(version+i+1)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// setVersion is the statement that sets the version; SQLite takes no placeholder there.
func setVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }
