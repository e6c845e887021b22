package sqlite

import (
	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/store"
)

// table is a store.Table in a transaction.
type table[T any, P store.Record[T]] struct {
	tx   *tx
	kind *kind
}

// Get implements store.Table.
func (t table[T, P]) Get(id string) (*T, error) {
	at := place{t.kind, t.tx.world, id}
	if t.tx.cache != nil {
		if known, ok := t.tx.cache.get(at).(*T); ok {
			return known, nil
		}
	}
	var document []byte
	if err := t.tx.connection.row(t.tx.ctx, t.kind.get, []any{t.tx.world, id}, &document); err != nil {
		return nil, t.tx.fail(err)
	}
	record, err := t.decode(document)
	if err == nil && t.tx.cache != nil {
		t.tx.cache.set(at, record)
	}
	return record, err
}

// Put implements store.Table.
func (t table[T, P]) Put(record *T) error {
	document, err := json.Marshal(record, t.kind.form)
	if err != nil {
		return err
	}
	at := place{t.kind, t.tx.world, P(record).RecordID()}
	query, args := t.put(at, record)
	args[2] = string(document)
	if _, err = t.tx.change(at, query, args...); err == nil {
		t.tx.cache.set(at, record)
	}
	return err
}

// put is the statement that puts a record, and its arguments but for the third, which is the document. Where it is known
// what the record was before, only the columns are written that differ, since each has an index to keep.
func (t table[T, P]) put(at place, record *T) (query string, args []any) {
	args = make([]any, 3, 4+len(t.kind.columns))
	args[0], args[1] = at.world, at.id
	var old *T
	if t.tx.cache != nil {
		old, _ = t.tx.cache.get(at).(*T)
	}
	if old == nil || !P(old).Created().Equal(P(record).Created()) {
		args = append(args, instant(P(record).Created()))
		for _, c := range t.kind.columns {
			args = append(args, nullable(P(record).Indexed(c.store)))
		}
		return t.kind.put, args
	}
	var differ uint
	for i, c := range t.kind.columns {
		if value := P(record).Indexed(c.store); value != P(old).Indexed(c.store) {
			differ |= 1 << i
			args = append(args, nullable(value))
		}
	}
	return t.kind.update(differ), args
}

// nullable keeps empty values out of the indexes.
func nullable(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// Delete implements store.Table.
func (t table[T, P]) Delete(id string) error {
	at := place{t.kind, t.tx.world, id}
	n, err := t.tx.change(at, t.kind.remove, t.tx.world, id)
	if err != nil {
		return err
	}
	t.tx.cache.forget(at)
	if n == 0 {
		return store.ErrNotFound
	}
	return nil
}

// List implements store.Table.
func (t table[T, P]) List(q store.Query) ([]*T, error) {
	query, args := t.kind.list(t.tx.world, q)
	found := []*T{}
	err := t.tx.connection.rows(t.tx.lists, query, args, func(scan func(...any) error) error {
		var document []byte
		if err := scan(&document); err != nil {
			return err
		}
		record, err := t.decode(document)
		found = append(found, record)
		return err
	})
	if err != nil {
		return nil, t.tx.fail(err)
	}
	return found, nil
}

func (t table[T, P]) decode(document []byte) (*T, error) {
	record := new(T)
	if err := json.Unmarshal(document, record, t.kind.form); err != nil {
		return nil, err
	}
	return record, nil
}
