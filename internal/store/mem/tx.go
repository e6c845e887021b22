package mem

import (
	"errors"

	"github.com/payctl/payctl/internal/store"
)

// errReadOnly is returned for a write in a View.
var errReadOnly = errors.New("mem: write in a transaction that only reads")

// tx is a transaction. It writes in place and remembers how to take each write back.
type tx struct {
	world  *world
	writes bool
	undo   []func()
}

// write allows a write that undo takes back.
func (t *tx) write(undo func()) error {
	if !t.writes {
		return errReadOnly
	}
	t.undo = append(t.undo, undo)
	return nil
}

func (t *tx) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
}

func (t *tx) Accounts() store.Table[store.Account] { return view[store.Account]{t, t.world.accounts} }
func (t *tx) Contacts() store.Table[store.Contact] { return view[store.Contact]{t, t.world.contacts} }
func (t *tx) Transfers() store.Table[store.Transfer] {
	return view[store.Transfer]{t, t.world.transfers}
}
func (t *tx) Keys() store.Table[store.Key]       { return view[store.Key]{t, t.world.keys} }
func (t *tx) Clients() store.Table[store.Client] { return view[store.Client]{t, t.world.clients} }
func (t *tx) Tokens() store.Table[store.Token]   { return view[store.Token]{t, t.world.tokens} }
func (t *tx) Worlds() store.Table[store.World]   { return view[store.World]{t, t.world.worlds} }

func (t *tx) Schedule(job store.Job) error {
	added := t.world.jobs.number(job)
	if err := t.write(func() { t.world.jobs.remove(added) }); err != nil {
		return err
	}
	t.world.jobs.add(added)
	return nil
}

func (t *tx) NextJob() (store.Job, error) {
	if t.world.jobs.Len() == 0 {
		return store.Job{}, store.ErrNotFound
	}
	return t.world.jobs.queue[0].Job, nil
}

func (t *tx) FinishJob() error {
	if t.world.jobs.Len() == 0 {
		return store.ErrNotFound
	}
	first := t.world.jobs.queue[0]
	if err := t.write(func() { t.world.jobs.add(first) }); err != nil {
		return err
	}
	t.world.jobs.remove(first)
	return nil
}

// view is a table as one transaction sees it.
type view[T store.Record] struct {
	tx    *tx
	table *table[T]
}

func (v view[T]) Get(id string) (*T, error) {
	record := v.table.rows[id]
	if record == nil {
		return nil, store.ErrNotFound
	}
	return record, nil
}

func (v view[T]) Put(record *T) error {
	id := (*record).RecordID()
	before := v.table.rows[id]
	if err := v.tx.write(func() { v.table.restore(id, before) }); err != nil {
		return err
	}
	v.table.put(record)
	return nil
}

func (v view[T]) Delete(id string) error {
	before := v.table.rows[id]
	if before == nil {
		return store.ErrNotFound
	}
	if err := v.tx.write(func() { v.table.put(before) }); err != nil {
		return err
	}
	v.table.remove(id)
	return nil
}

func (v view[T]) List(q store.Query) ([]*T, error) { return v.table.list(q), nil }
