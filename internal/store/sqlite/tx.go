package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/payctl/payctl/internal/sqlitedb"
	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("sqlite: write in a transaction that only reads")

// tx is a store.Tx: an update within a batch, or a view.
type tx struct {
	ctx     context.Context //nolint:containedctx // of a view, which ends its queries of many rows
	schemas *schemas
	conn    *sqlitedb.Conn
	world   string
	// contents is the name of the world's contents.
	contents string

	// What only an update has.
	batch     *batch       // nil: the transaction is a view
	own       *writeBuffer // what the update wrote
	savepoint bool         // it has one, and the tables hold writes of its own after that
}

func (t *tx) writes() bool { return t.batch != nil }

// fail notes a failure of the database, which fails the whole batch even if fn ignores it.
func (t *tx) fail(err error) error {
	if ended := t.ctx.Err(); err == nil || ended != nil && errors.Is(err, ended) {
		return err
	}
	t.conn.Fail(err)
	return store.Unavailable(err)
}

// exec runs a statement.
func (t *tx) exec(query string, args ...any) error { return t.fail(t.conn.Exec(query, args...)) }

// query calls each for every row of a query, which sees what the transaction wrote.
func (t *tx) query(query string, args []any, each func(scan func(...any) error) error) error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.fail(t.conn.Rows(t.ctx, query, args, each))
}

// buffered is the latest write of a record that is not in the tables; nil: there is none.
func (t *tx) buffered(key recordKey) *recordWrite {
	if write := t.own.get(key); write != nil {
		return write
	}
	return t.batch.buffer.get(key)
}

// write puts a write of a record into the buffer.
func (t *tx) write(w *recordWrite) error {
	if !t.writes() {
		return errReadOnly
	}
	t.own.set(w)
	return t.flushIfFull()
}

// flushIfFull bounds the memory that a large transaction takes.
func (t *tx) flushIfFull() error {
	if t.own.full() {
		return t.flush()
	}
	return nil
}

// flush writes the buffers into the tables, its own after a savepoint.
func (t *tx) flush() error {
	if !t.writes() {
		return nil
	}
	if err := t.flushBuffer(t.batch.buffer); err != nil || t.own.empty() {
		return err
	}
	if err := t.ensureSavepoint(); err != nil {
		return err
	}
	t.publishCounters()
	return t.flushBuffer(t.own)
}

// flushBuffer writes a buffer into the tables and empties it.
func (t *tx) flushBuffer(b *writeBuffer) error {
	if b.empty() {
		return nil
	}
	full := *b
	*b = *newWriteBuffer()
	return t.fail(full.flush(t.conn, t.batch.cache))
}

func (t *tx) ensureSavepoint() error {
	if t.savepoint {
		return nil
	}
	t.savepoint = true
	return t.exec("SAVEPOINT one")
}

// publishCounters makes the update's counters those that the batch sees.
func (t *tx) publishCounters() {
	if w := t.own.worlds[t.contents]; w != nil && w.counters != nil {
		t.batch.cache.world(t.contents).counters = w.counters
	}
}

// finish keeps what the update wrote, or undoes it.
func (t *tx) finish(keep bool) {
	switch {
	case t.conn.Failure() != nil: // the batch is rolled back, and the cache dropped with the connection
	case keep:
		if t.savepoint || !t.own.empty() {
			t.batch.changed++
		}
		if t.savepoint {
			_ = t.exec("RELEASE SAVEPOINT one")
		}
		t.publishCounters()
		t.batch.buffer.merge(t.own)
		if t.batch.buffer.full() {
			_ = t.flushBuffer(t.batch.buffer)
		}
	case t.savepoint: // what was buffered before it is in the tables; the cache knows what was written after it
		t.batch.cache.clear()
		if t.exec("ROLLBACK TO SAVEPOINT one") == nil {
			_ = t.exec("RELEASE SAVEPOINT one")
		}
	default:
		if w := t.own.worlds[t.contents]; w != nil {
			t.batch.cache.world(t.contents).jobs.undo(w.jobs)
		}
	}
}

func (t *tx) Accounts() store.Table[store.Account] {
	return tableOf[store.Account](t, t.schemas.accounts, t.contents)
}
func (t *tx) Contacts() store.Table[store.Contact] {
	return tableOf[store.Contact](t, t.schemas.contacts, t.contents)
}
func (t *tx) Transfers() store.Table[store.Transfer] {
	return tableOf[store.Transfer](t, t.schemas.transfers, t.contents)
}
func (t *tx) Keys() store.Table[store.Key] {
	return tableOf[store.Key](t, t.schemas.keys, t.contents)
}
func (t *tx) Clients() store.Table[store.Client] {
	return tableOf[store.Client](t, t.schemas.clients, t.world)
}
func (t *tx) Tokens() store.Table[store.Token] {
	return tableOf[store.Token](t, t.schemas.tokens, t.world)
}
func (t *tx) Worlds() store.Table[store.World] {
	return tableOf[store.World](t, t.schemas.worlds, t.world)
}
func (t *tx) Requests() store.Table[store.RequestBatch] {
	return tableOf[store.RequestBatch](t, t.schemas.requests, t.contents)
}

// TransferByReference implements store.Tx. The tables and the buffers each know a transfer, and the one with the lesser
// identifier counts, unless a write in the buffers has removed it or changed its reference. That is rare: then the
// buffers are flushed, and the tables alone are right.
func (t *tx) TransferByReference(reference string) (*store.Transfer, error) {
	id, err := t.idByReference(reference)
	if err != nil {
		return nil, err
	}
	if t.writes() {
		for _, buffer := range []*writeBuffer{t.own, t.batch.buffer} {
			if known, ok := buffer.references[worldReference{t.contents, reference}]; ok && (id == "" || known < id) {
				id = known
			}
		}
	}
	transfer, err := t.transferWith(id, reference)
	if id == "" || !t.writes() || !errors.Is(err, store.ErrNotFound) {
		return transfer, err
	}
	if err := t.flush(); err != nil {
		return nil, err
	}
	if id, err = t.idByReference(reference); err != nil {
		return nil, err
	}
	return t.transferWith(id, reference)
}

// idByReference is the least identifier of a transfer in the tables that has a reference; empty: there is none.
func (t *tx) idByReference(reference string) (id string, err error) {
	const query = "SELECT id FROM transfers WHERE world = $1 AND reference = $2 ORDER BY id LIMIT 1"
	err = t.conn.Row(query, []any{t.contents, reference}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, t.fail(err)
}

// transferWith returns the transfer with an identifier, if it has the reference; otherwise the error is ErrNotFound.
func (t *tx) transferWith(id, reference string) (*store.Transfer, error) {
	if id == "" {
		return nil, store.ErrNotFound
	}
	transfer, err := t.Transfers().Get(id)
	if err == nil && transfer.Reference != reference {
		return nil, store.ErrNotFound
	}
	return transfer, err
}
