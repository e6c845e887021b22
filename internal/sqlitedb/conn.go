package sqlitedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// beginWrite waits for the writes of other processes before the transaction reads anything, so that it builds on
// nothing that another process is about to change.
const beginWrite = "BEGIN IMMEDIATE"

// A Conn is a connection to the database with the statements that it has prepared. One transaction at a time uses it.
// But for queries of many rows its statements run to their end: a statement that is cut off costs more than one that
// ends.
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

// closeStatements closes the statements. SQLite keeps the files of a connection open, and locked, while it has one,
// and the pool does not know of statements that were prepared on a connection.
func (c *Conn) closeStatements() {
	for _, statement := range c.prepared {
		_ = statement.Close() // a failure loses nothing: the connection goes
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

// Changes is Exec that returns how many rows the statement changed.
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

// Row reads the first row of a query; the error is sql.ErrNoRows if there is none.
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

// BeginWrite begins a transaction that may write. The error has the code Busy if another process has one.
func (c *Conn) BeginWrite() error { return c.Exec(beginWrite) }

// Commit commits the transaction. If that fails, nothing of it is left, and the connection is to be discarded.
func (c *Conn) Commit() error {
	err := c.Exec("COMMIT")
	if err != nil {
		c.overwriteFailedCommit()
	}
	return err
}

// overwriteFailedCommit commits a change of nothing after a commit that failed. If only fsync failed, the log may hold
// the failed commit as a whole, and the next process to open the database would read it. This connection still knows
// the state before it, and its own commit takes the place of the failed one in the log. Where this fails too, another
// process holds the lock and writes over the failed commit itself, or the disk is beyond help.
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
