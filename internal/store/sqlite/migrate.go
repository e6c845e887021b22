package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/payctl/payctl/internal/sqlitefile"
)

// migrations are named by their number in four digits, from 0001 without a gap. One that was released never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer is returned for a folder that a later version of the program has used.
var ErrNewer = errors.New("sqlite: the data was written by a later version of the program")

// Bounds of the wait for processes that open the same folder at the same moment.
const (
	openPoll    = 5 * time.Millisecond
	openTimeout = 15 * time.Second
)

// migrate brings the tables to what this version of the program needs. Of processes that start together one does it. While
// one of them turns the write-ahead log on, SQLite tells the others that the file is busy without waiting for it.
func migrate(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for {
		err := migrateOnce(ctx, db)
		if !sqlitefile.HasCode(err, sqlitefile.Busy) {
			return err
		}
		select {
		case <-time.After(openPoll):
		case <-ctx.Done():
			return err
		}
	}
}

func migrateOnce(ctx context.Context, db *sql.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, beginUpdate); err != nil {
		return err
	}
	if err := migrateWith(ctx, conn); err != nil {
		_, undone := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, undone)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// writable fails where nothing can be written: of such a database SQLite begins a transaction that writes all the same.
func writable(ctx context.Context, conn *sql.Conn) error {
	for _, statement := range []string{"SAVEPOINT writable", "CREATE TABLE writable (id BIGINT)", "ROLLBACK TO writable", "RELEASE writable"} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func migrateWith(ctx context.Context, conn *sql.Conn) error {
	if err := writable(ctx, conn); err != nil {
		return fmt.Errorf("it is read-only, or cannot be written: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (version BIGINT NOT NULL PRIMARY KEY)"); err != nil {
		return err
	}
	var done int
	if err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM migrations").Scan(&done); err != nil {
		return err
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if done > len(files) {
		return ErrNewer
	}
	for i, file := range files[done:] {
		script, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO migrations (version) VALUES ($1)", done+i+1); err != nil {
			return err
		}
	}
	return nil
}
