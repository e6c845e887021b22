package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/payctl/payctl/internal/store"
)

// A connection is a connection to the database with the statements that it has prepared. One transaction at a time uses
// it.
type connection struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func connect(ctx context.Context, db *sql.DB) (*connection, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, prepared: map[string]*sql.Stmt{}}, nil
}

// close gives the connection back to the pool.
func (c *connection) close() error {
	c.forget()
	return c.conn.Close()
}

// forget closes the statements. SQLite keeps the files of a connection open, and its locks, for as long as it has one; the pool
// does not know of those that were prepared on a connection by itself.
func (c *connection) forget() {
	for _, statement := range c.prepared {
		_ = statement.Close() // nothing is lost when it fails: the connection goes
	}
	clear(c.prepared)
}

// discard closes the connection for good, which takes back what it had begun.
func (c *connection) discard() {
	c.forget()
	_ = c.conn.Raw(func(any) error { return driver.ErrBadConn }) // which keeps it out of the pool
}

func (c *connection) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if known := c.prepared[query]; known != nil {
		return known, nil
	}
	statement, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.prepared[query] = statement
	return statement, nil
}

// exec runs a statement that returns no rows.
func (c *connection) exec(ctx context.Context, query string, args ...any) error {
	statement, err := c.statement(ctx, query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(ctx, args...)
	return err
}

// row reads the one row of a query; the error is store.ErrNotFound when there is none.
func (c *connection) row(ctx context.Context, query string, args []any, into ...any) error {
	statement, err := c.statement(ctx, query)
	if err != nil {
		return err
	}
	err = statement.QueryRowContext(ctx, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	return err
}

// rows calls each for every row of a query.
func (c *connection) rows(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) (err error) {
	statement, err := c.statement(ctx, query)
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
