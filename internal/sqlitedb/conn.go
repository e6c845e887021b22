package sqlitedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// beginWrite takes the write lock before the transaction reads, so no other process can change what it has read.
const beginWrite = "BEGIN IMMEDIATE"

// A Conn is a connection to the database with its prepared statements. One transaction at a time uses it.
// Only Rows can be interrupted: for other statements, an interrupt costs more than the statement.
type Conn struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

// Connect takes a connection out of the pool.
func Connect(ctx context.Context, db *sql.DB) (*Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: conn, prepared: map[string]*sql.Stmt{}}, nil
}

// Close returns the connection to the pool.
func (c *Conn) Close() error {
	c.closeStatements()
	return c.conn.Close()
}

// closeStatements closes the prepared statements, which the pool does not know of. SQLite keeps the files of a
// connection open and locked while it has a statement.
func (c *Conn) closeStatements() {
	for _, statement := range c.prepared {
		_ = statement.Close() // a failure loses nothing: the connection is closed next
	}
	clear(c.prepared)
}

// Discard rolls back and closes the connection for good.
func (c *Conn) Discard() {
	_ = c.Exec("ROLLBACK") // closing alone can leave the lock in place
	c.closeStatements()
	_ = c.conn.Raw(func(any) error { return driver.ErrBadConn }) // which keeps it out of the pool
}

func (c *Conn) statement(query string) (*sql.Stmt, error) {
	if known := c.prepared[query]; known != nil {
		return known, nil
	}
	statement, err := c.conn.PrepareContext(context.Background(), query)
	if err == nil {
		c.prepared[query] = statement
	}
	return statement, err
}

// Exec runs a statement that returns no rows.
func (c *Conn) Exec(query string, args ...any) error {
	_, err := c.Changes(query, args...)
	return err
}

// Changes is Exec, and returns how many rows the statement changed.
func (c *Conn) Changes(query string, args ...any) (int64, error) {
	statement, err := c.statement(query)
	if err != nil {
		return 0, err
	}
	result, err := statement.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Row reads the first row of a query. The error is sql.ErrNoRows if there is none.
func (c *Conn) Row(query string, args []any, into ...any) error {
	statement, err := c.statement(query)
	if err != nil {
		return err
	}
	return statement.QueryRowContext(context.Background(), args...).Scan(into...)
}

// Rows calls each for every row of a query.
func (c *Conn) Rows(
	ctx context.Context, query string, args []any, each func(scan func(...any) error) error,
) (err error) {
	statement, err := c.statement(query)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// BeginWrite begins a transaction that may write. The error has the code Busy if another process is writing.
func (c *Conn) BeginWrite() error { return c.Exec(beginWrite) }

// Commit commits the transaction. If that fails, nothing of it is left, and the caller must discard the connection.
func (c *Conn) Commit() error {
	err := c.Exec("COMMIT")
	if err != nil {
		c.overwriteFailedCommit()
	}
	return err
}

// overwriteFailedCommit commits an empty change after a commit that failed. If only fsync failed, the log may hold all
// of the failed commit, and the next process to open the database would read it. This connection still knows the state
// before. Its own commit replaces the failed one in the log. If this fails too, another process holds the lock and
// overwrites the failed commit itself, or the disk is broken.
func (c *Conn) overwriteFailedCommit() {
	_ = c.Exec("ROLLBACK") // SQLite may have done that itself
	if c.BeginWrite() != nil {
		return
	}
	var version int
	if c.Row("PRAGMA user_version", nil, &version) == nil && c.Exec(fmt.Sprint("PRAGMA user_version = ", version)) == nil {
		_ = c.Exec("COMMIT")
	}
}
