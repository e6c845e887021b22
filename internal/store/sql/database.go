package sql

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A Database is where a Store keeps its worlds: a file of SQLite, or a schema of PostgreSQL. Many goroutines may use
// it.
type Database interface {
	// Dialect returns what differs in the SQL of this database.
	Dialect() Dialect
	// Begin begins a transaction that may write. Each statement of it sees what was committed before the statement. The
	// context bounds the whole transaction. The error is the database's; see Retriable.
	Begin(ctx context.Context) (Conn, error)
	// BeginRead begins a transaction that only reads, and sees one committed state of all worlds.
	BeginRead(ctx context.Context) (Conn, error)
	// Query runs one statement outside of a transaction, which reads what is committed.
	Query(ctx context.Context, query string, args []any, each func(scan func(into ...any) error) error) error
	// Retriable reports whether an error is likely to be gone on another connection, or in a new transaction: the
	// connection broke, the server restarts, or it chose the transaction as the victim of a conflict.
	Retriable(err error) bool
	// Close closes the database. No transaction is under way.
	Close() error
}

// A StampedDatabase tells without a query whether anything was committed.
type StampedDatabase interface {
	Database
	// Stamp returns a number that is another one once a commit of any process has returned; zero: it is not known.
	Stamp() uint64
}

// A Conn is a connection during one transaction, which one goroutine uses. Statements are queued and sent together, so
// that several take one round trip. After the first error nothing more is sent, and every call returns that error.
type Conn interface {
	// Queue queues a statement with its arguments: string, []byte, int64, nil, and lists made by Dialect.List. The rows
	// that it returns are passed to each, one after the other, during the next Send or Commit; each is nil for a statement
	// that returns none. Scan reads a row into variables of the types string, []byte and int64, and *string if it may be
	// NULL. An error of each is returned by Send and does not fail the transaction.
	Queue(query string, args []any, each func(scan func(into ...any) error) error)
	// Insert queues the insertion of rows, which have a value for each column.
	Insert(into *Insertion, rows [][]any)
	// Send sends what is queued, and waits for the results.
	Send() error
	// Commit sends what is queued, and commits what some updates have written. The transaction has ended when it returns.
	// The error wraps ErrOutcomeUnknown if the connection broke so that the transaction may have been committed.
	Commit(updates int) error
	// Rollback ends the transaction without an effect, and does nothing after Commit.
	Rollback()
}

// ErrOutcomeUnknown is the error of a commit to which the database has not responded.
var ErrOutcomeUnknown = errors.New("the database did not respond to a commit")

// A Dialect is what differs between databases.
type Dialect struct {
	// OneWriter is true if one transaction at a time can write to the database. Then the updates of all worlds share
	// transactions; otherwise each world has its own.
	OneWriter bool
	// Remote is true if a round trip takes longer than a statement, so that reads are worth sending ahead together.
	Remote bool
	// Lock is appended to a SELECT of a row, and has other transactions wait that select the row in this way. Each world
	// has a row for this purpose.
	Lock string
	// Rows is a table expression, with one %s for a placeholder, that has the values of a list in the column wanted.value.
	// Records are looked up by subqueries in the SELECT list: they use the index on both columns, world and id, in every
	// plan. A condition on id would have PostgreSQL read all rows of the world, if it made the plan before there were
	// many.
	Rows string
	// List returns values as the argument of such a placeholder.
	List func(values []string) any
}

// An Insertion adds rows to a table, or replaces those with their primary key.
type Insertion struct {
	Table   string
	Columns []Column
	// Key holds the names of the columns of the primary key, if rows may exist already and are replaced then; empty: they
	// never exist.
	Key []string
}

// Statement returns the statement that inserts rows, which are a VALUES clause or a SELECT. In PostgreSQL, for
// instance:
//
//	INSERT INTO clients (world, id, document) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
//	ON CONFLICT (world, id) DO UPDATE SET document = excluded.document
func (into *Insertion) Statement(rows string) string {
	var names, sets []string
	for _, column := range into.Columns {
		names = append(names, column.Name)
		if !slices.Contains(into.Key, column.Name) {
			sets = append(sets, column.Name+" = excluded."+column.Name)
		}
	}
	statement := "INSERT INTO " + into.Table + " (" + strings.Join(names, ", ") + ") " + rows
	if len(into.Key) > 0 {
		statement += " ON CONFLICT (" + strings.Join(into.Key, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
	}
	return statement
}

// A Column is a column of an Insertion. Its values are strings or nil, or int64.
type Column struct {
	Name    string
	Integer bool
}
