package sqlite

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("sqlite: write in a transaction that only reads")

// tx is a transaction: a savepoint in a batch of the writer, or a snapshot of a reader.
type tx struct {
	ctx        context.Context // does not end, since ending a statement half-way costs more than letting it end
	lists      context.Context // for what may take long
	kinds      *kinds
	connection *connection
	world      string
	writes     bool
	saved      bool   // the savepoint is there
	cache      *cache // nil: the transaction has none
	changed    []place
	jobs       *upcoming // nil: not asked for yet
	failure    error
}

// The savepoint of a transaction. Only one is under way on a connection.
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

// change runs a statement that writes somewhere.
func (t *tx) change(at place, query string, args ...any) (int64, error) {
	if !t.writes {
		return 0, errReadOnly
	}
	if !t.saved { // not before: many updates write nothing
		if _, err := t.connection.exec(t.ctx, savepoint); err != nil {
			return 0, t.fail(err)
		}
		t.saved = true
	}
	t.changed = append(t.changed, at)
	n, err := t.connection.exec(t.ctx, query, args...)
	return n, t.fail(err)
}

// end keeps what an update wrote, or takes it back.
func (t *tx) end(keep bool) {
	if !keep {
		for _, at := range t.changed {
			t.cache.forget(at)
		}
	}
	if !t.saved || t.failure != nil {
		return
	}
	if !keep {
		_, err := t.connection.exec(t.ctx, undo)
		_ = t.fail(err)
	}
	_, err := t.connection.exec(t.ctx, release)
	_ = t.fail(err)
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
	for _, name := range t.kinds.tables() {
		if _, err := t.change(nowhere, "DELETE FROM "+name+" WHERE world = $1", t.world); err != nil {
			return err
		}
	}
	t.cache.clear()
	t.jobs = nil
	return nil
}
