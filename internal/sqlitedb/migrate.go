package sqlitedb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// ErrNewer is returned for a database that a later version of the program has migrated.
var ErrNewer = errors.New("the data was written by a later version of the program")

// ErrSchema is returned for a database that has other tables, indexes, views or triggers than the migrations make. A
// trigger could change what is written, and a view show what was never written.
var ErrSchema = errors.New("its tables are not those that this program makes; another program has changed them")

// Migrations bring a database to the version that this program uses. The version is SQLite's user_version: how many of
// the files have been applied.
type Migrations struct {
	// Files are named by their number in four digits, from 0001 without a gap. A file that was released never changes.
	Files fs.FS
	// Version reads the present version. Its error refuses the database.
	Version func(context.Context, Querier) (int, error)
	// Newest is the SHA-256 of the schema that all files make, in hexadecimal; see NewestSchema. Finding the schema out takes
	// milliseconds, which every command that writes would wait for.
	Newest string
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
		files, err := m.names()
		if err == nil && version == len(files) {
			err = m.CheckSchema(ctx, db, version)
		}
		if err != nil || version == len(files) {
			return err
		}
		return m.apply(ctx, db, files)
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
	if err := refuseActive(ctx, conn); err != nil {
		return err
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
	if err := m.CheckSchema(ctx, conn, len(files)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

func (m Migrations) names() ([]string, error) { return fs.Glob(m.Files, "migrations/*.sql") }

// CheckSchema returns ErrSchema unless a database has exactly the schema of a version, or ErrNewer if this program does
// not know the version.
func (m Migrations) CheckSchema(ctx context.Context, db Querier, version int) error {
	files, err := m.names()
	if err != nil {
		return err
	}
	if version > len(files) {
		return ErrNewer
	}
	found, err := schemaOf(ctx, db)
	if err != nil || version == len(files) && sumOf(found) == m.Newest {
		return err
	}
	made, err := m.schema(ctx, files[:version])
	if err == nil && found != made {
		err = ErrSchema
	}
	return err
}

// NewestSchema returns what Newest has to be.
func (m Migrations) NewestSchema(ctx context.Context) (sum string, err error) {
	files, err := m.names()
	if err != nil {
		return "", err
	}
	made, err := m.schema(ctx, files)
	return sumOf(made), err
}

// schema describes the schema that files make. It finds that out with an empty database in memory.
func (m Migrations) schema(ctx context.Context, files []string) (description string, err error) {
	empty, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, empty.Close()) }()
	empty.SetMaxOpenConns(1) // each connection has a database of its own
	for _, file := range files {
		script, err := fs.ReadFile(m.Files, file)
		if err == nil {
			_, err = empty.ExecContext(ctx, string(script))
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
	}
	return schemaOf(ctx, empty)
}

// sumOf returns the SHA-256 of a schema's description, in hexadecimal.
func sumOf(description string) string {
	sum := sha256.Sum256([]byte(description))
	return hex.EncodeToString(sum[:])
}

// refuseActive returns ErrSchema for a database with views or triggers, which migrations would run; none makes any.
func refuseActive(ctx context.Context, db Querier) error {
	var active bool
	const query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type NOT IN ('table', 'index'))"
	err := db.QueryRowContext(ctx, query).Scan(&active)
	if err == nil && active {
		err = ErrSchema
	}
	return err
}

// schemaOf describes all that a schema has, up to more than any version has. What ANALYZE has stored counts for nothing.
func schemaOf(ctx context.Context, db Querier) (description string, err error) {
	const query = `SELECT coalesce(group_concat(description, char(10)), '') FROM (
		SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(substr(sql, 1, 10000), '') AS description
		FROM sqlite_schema WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
		ORDER BY type, name LIMIT 100)`
	err = db.QueryRowContext(ctx, query).Scan(&description)
	return description, err
}

// setVersion is the statement that sets the version; SQLite takes no placeholder there.
func setVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }
