package mem

import (
	"errors"
	"sync"

	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("mem: write in a transaction that only reads")

// A change is a write of a transaction, as it has to be known to take it back.
type change struct {
	by     undoer
	id     string   // of the record that was written
	before any      // what was there, in the form of who takes it back
	job    numbered // that was added or finished
}

// An undoer takes changes back that were made through it.
type undoer interface{ undo(change) }

// tx is a transaction. It writes in place and remembers how to take each write back. The views are its own, so that asking for
// a table costs nothing, and it is used again when it has ended.
type tx struct {
	world   *world
	writes  bool
	changes []change

	accounts  view[store.Account, *store.Account]
	contacts  view[store.Contact, *store.Contact]
	transfers view[store.Transfer, *store.Transfer]
	keys      view[store.Key, *store.Key]
	clients   view[store.Client, *store.Client]
	tokens    view[store.Token, *store.Token]
	worlds    view[store.World, *store.World]
	events    eventView
}

// spare are transactions that have ended.
var spare = sync.Pool{New: func() any { return new(tx) }}

func newTx(w *world, writes bool) *tx {
	t := spare.Get().(*tx)
	t.world, t.writes = w, writes
	t.look()
	return t
}

// look makes the views anew, which know of no record yet.
func (t *tx) look() {
	w := t.world
	t.accounts = view[store.Account, *store.Account]{t, w.accounts, nil}
	t.contacts = view[store.Contact, *store.Contact]{t, w.contacts, nil}
	t.transfers = view[store.Transfer, *store.Transfer]{t, w.transfers, nil}
	t.keys = view[store.Key, *store.Key]{t, w.keys, nil}
	t.clients = view[store.Client, *store.Client]{t, w.clients, nil}
	t.tokens = view[store.Token, *store.Token]{t, w.tokens, nil}
	t.worlds = view[store.World, *store.World]{t, w.worlds, nil}
	t.events = eventView{t, &w.events}
}

// write allows a write that can be taken back.
func (t *tx) write(c change) error {
	if !t.writes {
		return errReadOnly
	}
	t.changes = append(t.changes, c)
	return nil
}

func (t *tx) rollback() {
	for i := len(t.changes) - 1; i >= 0; i-- {
		t.changes[i].by.undo(t.changes[i])
	}
}

// maxChanges is for how many changes room is kept for the next transaction; most have fewer.
const maxChanges = 1 << 10

// end lets go of what was remembered. Who uses the transaction after its end uses none.
func (t *tx) end() {
	changes := t.changes
	*t = tx{}
	if cap(changes) <= maxChanges {
		clear(changes)
		t.changes = changes[:0]
	}
	spare.Put(t)
}

func (t *tx) Accounts() store.Table[store.Account]   { return &t.accounts }
func (t *tx) Contacts() store.Table[store.Contact]   { return &t.contacts }
func (t *tx) Transfers() store.Table[store.Transfer] { return &t.transfers }
func (t *tx) Keys() store.Table[store.Key]           { return &t.keys }
func (t *tx) Clients() store.Table[store.Client]     { return &t.clients }
func (t *tx) Tokens() store.Table[store.Token]       { return &t.tokens }
func (t *tx) Worlds() store.Table[store.World]       { return &t.worlds }
func (t *tx) Events() store.EventLog                 { return &t.events }

// view is a table as one transaction sees it.
type view[T any, P store.Record[T]] struct {
	tx     *tx
	table  *table[T, P]
	latest P // the record that was got or put last, which most writes are of
}

func (v *view[T, P]) Get(id string) (*T, error) {
	record := v.table.rows[id]
	if record == nil {
		return nil, store.ErrNotFound
	}
	v.latest = record
	return record, nil
}

func (v *view[T, P]) Put(record *T) error {
	id := P(record).RecordID()
	before := v.latest
	if before == nil || before.RecordID() != id {
		before = v.table.rows[id]
	}
	if err := v.tx.write(change{by: v, id: id, before: (*T)(before)}); err != nil {
		return err
	}
	v.table.put(id, record, before)
	v.latest = record
	return nil
}

func (v *view[T, P]) Delete(id string) error {
	before := v.table.rows[id]
	if before == nil {
		return store.ErrNotFound
	}
	if err := v.tx.write(change{by: v, id: id, before: before}); err != nil {
		return err
	}
	v.table.remove(id, before)
	v.latest = nil
	return nil
}

// undo implements undoer.
func (v *view[T, P]) undo(c change) {
	now := v.table.rows[c.id]
	if before := c.before.(*T); before != nil {
		v.table.put(c.id, before, now)
	} else {
		v.table.remove(c.id, now)
	}
}

func (v *view[T, P]) List(q store.Query) ([]*T, error) { return v.table.list(q), nil }
