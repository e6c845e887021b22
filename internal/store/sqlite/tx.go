package sqlite

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("sqlite: write in a transaction that only reads")

// tx is a transaction: one of a batch of the writer, or a snapshot of a reader.
type tx struct {
	ctx        context.Context // does not end, since ending a statement half-way costs more than letting it end
	lists      context.Context // for what may take long
	kinds      *kinds
	connection *connection
	world      string
	failure    error
	counted    *counters // what a reader has read of them, in the snapshot that it has; nil: nothing yet

	// What a reader does not have.
	writes bool
	cache  *cache
	batch  *layer // what the updates before it in its batch wrote
	own    *layer // what it wrote itself
	saved  bool   // it has a savepoint, behind which are writes of its own
}

// The savepoint of a transaction that has to see its own writes in the tables. Only one is under way on a connection.
const (
	savepoint = "SAVEPOINT one"
	undo      = "ROLLBACK TO SAVEPOINT one"
	release   = "RELEASE SAVEPOINT one"
)

// fail remembers a failure of the database, which is one of the whole batch even if fn does not mind.
func (t *tx) fail(err error) error {
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return err
	}
	if ended := t.lists.Err(); ended != nil && errors.Is(err, ended) {
		return err
	}
	if t.failure == nil {
		t.failure = err
	}
	return store.Unavailable(err)
}

// exec runs a statement.
func (t *tx) exec(query string, args ...any) error {
	return t.fail(t.connection.exec(t.ctx, query, args...))
}

// over is what was written over a record's table, this transaction's writes before those of others; nil: nothing was.
func (t *tx) over(at place) *change {
	if !t.writes {
		return nil
	}
	if c := t.own.get(at); c != nil {
		return c
	}
	return t.batch.get(at)
}

// write writes a record.
func (t *tx) write(c *change) error {
	if !t.writes {
		return errReadOnly
	}
	t.own.set(c)
	return t.relieve()
}

// relieve keeps a large transaction's writes from filling the memory.
func (t *tx) relieve() error {
	if t.own.full() {
		return t.settle()
	}
	return nil
}

// settle brings the tables to what the transaction sees, before it asks them for more than one record.
func (t *tx) settle() error {
	if !t.writes {
		return nil
	}
	if err := t.flush(t.batch); err != nil {
		return err
	}
	if t.own.empty() {
		return nil
	}
	if !t.saved {
		if err := t.exec(savepoint); err != nil {
			return err
		}
		t.saved = true
	}
	t.count()
	return t.flush(t.own)
}

// count makes the counters that the transaction has moved those of its batch.
func (t *tx) count() {
	if h := t.own.worlds[t.world]; h != nil && h.counters != nil {
		t.cache.world(t.world).counters = h.counters
	}
}

// flush writes a layer into the tables and empties it.
func (t *tx) flush(l *layer) error {
	if l.empty() {
		return nil
	}
	full := *l
	*l = *newLayer()
	return t.fail(full.flush(t.ctx, t.connection, t.cache))
}

// end keeps what an update wrote, or takes it back.
func (t *tx) end(keep bool) {
	if t.failure != nil {
		return // the batch goes, and with it the cache
	}
	if keep {
		if t.saved {
			_ = t.exec(release)
		}
		t.count()
		t.batch.join(t.own)
		if t.batch.full() {
			_ = t.flush(t.batch)
		}
		return
	}
	if t.saved { // the tables hold all that was written before the savepoint, and the cache what was behind it
		t.cache.clear()
		if t.exec(undo) == nil {
			_ = t.exec(release)
		}
		return
	}
	if h := t.own.worlds[t.world]; h != nil && len(h.jobs) > 0 {
		t.cache.world(t.world).queue.undo(h.jobs)
	}
}

func (t *tx) Accounts() store.Table[store.Account] {
	return table[store.Account, *store.Account]{t, t.kinds.accounts}
}
func (t *tx) Contacts() store.Table[store.Contact] {
	return table[store.Contact, *store.Contact]{t, t.kinds.contacts}
}
func (t *tx) Transfers() store.Table[store.Transfer] {
	return table[store.Transfer, *store.Transfer]{t, t.kinds.transfers}
}
func (t *tx) Keys() store.Table[store.Key] { return table[store.Key, *store.Key]{t, t.kinds.keys} }
func (t *tx) Clients() store.Table[store.Client] {
	return table[store.Client, *store.Client]{t, t.kinds.clients}
}
func (t *tx) Tokens() store.Table[store.Token] {
	return table[store.Token, *store.Token]{t, t.kinds.tokens}
}
func (t *tx) Worlds() store.Table[store.World] {
	return table[store.World, *store.World]{t, t.kinds.worlds}
}

// Clear implements store.Tx.
func (t *tx) Clear() error {
	if !t.writes {
		return errReadOnly
	}
	if err := t.settle(); err != nil {
		return err
	}
	if !t.saved {
		if err := t.exec(savepoint); err != nil {
			return err
		}
		t.saved = true
	}
	for _, name := range t.kinds.tables() {
		if err := t.exec("DELETE FROM "+name+" WHERE world = $1", t.world); err != nil {
			return err
		}
	}
	t.cache.clear()
	return nil
}
