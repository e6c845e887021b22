package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/payctl/payctl/internal/store"
)

// A transaction implements store.Documents. It sends its writes together with the next read or the commit.
type transaction struct {
	ctx     context.Context //nolint:containedctx // the methods of store.Documents have none
	store   *Store
	conn    *pgxpool.Conn // nil means that the transaction has ended
	world   string
	writes  bool // it may write
	wrote   bool // it has written
	waiting *pgx.Batch
	failure error // the first one of the database
}

// begin begins a transaction. It goes on when the context ends, since pgx would close the connection otherwise.
func (s *Store) begin(ctx context.Context, world string, writes bool) (*transaction, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
	var err error
	for range 2 { // the pool may have connections to a server that has stopped meanwhile
		var conn *pgxpool.Conn
		if conn, err = s.pool.Acquire(ctx); err != nil {
			break
		}
		tx := &transaction{ctx: own, store: s, conn: conn, world: world, writes: writes, waiting: &pgx.Batch{}}
		if !writes {
			tx.waiting.Queue(beginView)
			return tx, cancel, nil
		}
		tx.waiting.Queue(beginUpdate)
		tx.waiting.Queue(lockWorld, escape(world))
		if err = tx.send(nil); err == nil {
			return tx, cancel, nil
		}
		retriable := conn.Conn().IsClosed() || CodeOf(err) == codeReadOnly
		tx.rollBack()
		if !retriable {
			break
		}
		s.pool.Reset()
	}
	cancel()
	return nil, nil, s.unavailable(ctx, err)
}

// send sends the waiting statements, and passes the rows of the last one to a function, if that is not nil.
func (tx *transaction) send(last func(pgx.Rows) error) (err error) {
	if tx.conn == nil {
		return errEnded
	}
	results := tx.conn.SendBatch(tx.ctx, tx.waiting)
	n := tx.waiting.Len()
	tx.waiting = &pgx.Batch{}
	for i := range n {
		if i < n-1 || last == nil {
			_, err = results.Exec()
		} else {
			var rows pgx.Rows
			if rows, err = results.Query(); err == nil {
				err = last(rows)
				rows.Close()
				err = errors.Join(err, rows.Err())
			}
		}
		if err != nil {
			break
		}
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

var errEnded = errors.New("the transaction has ended")

// fail records a failure of the database.
func (tx *transaction) fail(err error) error {
	if tx.failure == nil {
		tx.failure = tx.store.outage(err)
	}
	return tx.failure
}

// commit sends the waiting writes, and commits.
func (tx *transaction) commit() error {
	if !tx.wrote {
		return nil // rollBack ends it
	}
	tx.waiting.Queue(commit)
	var tag pgconn.CommandTag
	err := tx.send(func(rows pgx.Rows) error {
		rows.Close()
		tag = rows.CommandTag()
		return rows.Err()
	})
	if err != nil {
		return err
	}
	if tag.String() != "COMMIT" {
		return fmt.Errorf("the server responded to COMMIT with %q", tag)
	}
	tx.conn.Release()
	tx.conn = nil
	return nil
}

// rollBack ends the transaction, if it has not ended.
func (tx *transaction) rollBack() {
	if tx.conn == nil {
		return
	}
	if tx.conn.Conn().PgConn().TxStatus() != 'I' && !tx.conn.Conn().IsClosed() {
		_, _ = tx.conn.Exec(tx.ctx, rollBack) // Release closes the connection if this fails
	}
	tx.conn.Release()
	tx.conn = nil
}

// read sends a query after the waiting writes, and decodes the documents that it returns.
func (tx *transaction) read(query string, args ...any) ([]store.Document, error) {
	if tx.failure != nil {
		return nil, tx.failure
	}
	found := []store.Document{}
	tx.waiting.Queue(query, args...)
	err := tx.send(func(rows pgx.Rows) error {
		for rows.Next() {
			values := rows.RawValues()
			i := slices.IndexFunc(store.Collections, func(c *store.Collection) bool { return c.Name == string(values[0]) })
			if i < 0 {
				return fmt.Errorf("a document has the unknown kind %q", values[0])
			}
			document, err := store.Collections[i].Decode(values[1])
			if err != nil {
				return err
			}
			found = append(found, document)
		}
		return nil
	})
	if err != nil {
		return nil, tx.fail(err)
	}
	return found, nil
}

// readOne is read for a query of at most one document. The error is store.ErrNotFound if there is none.
func (tx *transaction) readOne(query string, args ...any) (store.Document, error) {
	found, err := tx.read(query, args...)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Get implements store.Documents.
func (tx *transaction) Get(collection *store.Collection, id string) (store.Document, error) {
	return tx.readOne(getDocument, collection.Name, escape(tx.world), escape(id))
}

// Put implements store.Documents.
func (tx *transaction) Put(collection *store.Collection, document store.Document) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	text, err := store.Encode(document)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, column := range collection.Columns {
		if value := document.Indexed(column); value != "" {
			values[column] = escape(value)
		}
	}
	if at := document.DueAt(); !at.IsZero() {
		values["due"] = at.UTC().Format(dueFormat)
	}
	indexed, err := json.Marshal(values)
	if err != nil {
		return err
	}
	tx.wrote = true
	tx.waiting.Queue(putDocument, collection.Name, escape(tx.world), escape(document.DocumentID()),
		string(indexed), string(text))
	return nil
}

// Delete implements store.Documents.
func (tx *transaction) Delete(collection *store.Collection, id string) error {
	if _, err := tx.Get(collection, id); err != nil {
		return err
	}
	if !tx.writes {
		return store.ErrReadOnly
	}
	tx.wrote = true
	tx.waiting.Queue(deleteDocument, collection.Name, escape(tx.world), escape(id))
	return nil
}

// Clear implements store.Documents.
func (tx *transaction) Clear(collection *store.Collection) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	tx.wrote = true
	tx.waiting.Queue(deleteDocuments, collection.Name, escape(tx.world))
	return nil
}

// List implements store.Documents.
func (tx *transaction) List(collection *store.Collection, q store.Query) ([]store.Document, error) {
	query := listDocuments
	args := []any{collection.Name, escape(tx.world)}
	where := func(condition string, value any) {
		args = append(args, value)
		query += fmt.Sprintf(condition, len(args))
	}
	if len(q.Where) > 0 {
		query, args = listByColumn, []any{collection.Name + " " + escape(tx.world)}
	}
	by := byColumn
	for _, column := range collection.Columns {
		if value, selects := q.Where[column]; selects {
			args = append(args, escape(value))
			query += fmt.Sprintf(by, column, len(args))
			by = byOtherColumn
		}
	}
	if q.After != "" {
		where(after, escape(q.After))
	}
	if q.Before != "" {
		where(before, escape(q.Before))
	}
	if q.Ascending {
		where(ascending, int64(max(q.Limit, 0)))
	} else {
		where(descending, int64(max(q.Limit, 0)))
	}
	return tx.read(query, args...)
}

// NextDue implements store.Documents.
func (tx *transaction) NextDue() (store.Document, error) {
	return tx.readOne(nextDue, escape(tx.world))
}

// escape replaces the character NUL, which PostgreSQL does not store. Different texts stay different.
func escape(text string) string {
	if !strings.ContainsAny(text, "\x00\\") {
		return text
	}
	return strings.NewReplacer("\\", "\\\\", "\x00", "\\0").Replace(text)
}
