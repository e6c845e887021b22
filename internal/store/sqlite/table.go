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
	if c := t.tx.over(at); c != nil {
		if c.record == nil {
			return nil, store.ErrNotFound
		}
		known, _ := c.record.(P)
		return known, nil
	}
	if t.tx.writes {
		if known, ok := t.tx.cache.get(at).(P); ok {
			return known, nil
		}
	}
	var document []byte
	if err := t.tx.connection.row(t.tx.ctx, t.kind.get, []any{t.tx.world, id}, &document); err != nil {
		return nil, t.tx.fail(err)
	}
	record, err := t.decode(document)
	if err == nil && t.tx.writes {
		t.tx.cache.set(at, P(record))
	}
	return record, err
}

// Put implements store.Table.
func (t table[T, P]) Put(record *T) error {
	document, err := documentOf(record, t.kind.form)
	if err != nil {
		return err
	}
	return t.tx.write(&change{place{t.kind, t.tx.world, P(record).RecordID()}, P(record), document})
}

// row appends the values of a record's row.
func (k *kind) row(args []any, c *change) []any {
	args = append(args, c.at.world, c.at.id, c.document.text(), instant(c.record.Created()))
	for _, column := range k.columns {
		args = append(args, nullable(c.record.Indexed(column.store)))
	}
	return args
}

// change is the statement that makes a record what it is out of what it was, and its arguments. Only the columns are written
// that differ, since each has an index to keep.
func (k *kind) change(c *change, old record) (query string, args []any) {
	args = make([]any, 3, 3+len(k.columns))
	args[0], args[1], args[2] = c.at.world, c.at.id, c.document.text()
	var differ uint
	for i, column := range k.columns {
		if value := c.record.Indexed(column.store); value != old.Indexed(column.store) {
			differ |= 1 << i
			args = append(args, nullable(value))
		}
	}
	return k.update(differ), args
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
	if !t.tx.writes {
		return errReadOnly
	}
	if _, err := t.Get(id); err != nil {
		return err
	}
	return t.tx.write(&change{at: place{t.kind, t.tx.world, id}})
}

// List implements store.Table.
func (t table[T, P]) List(q store.Query) ([]*T, error) {
	if err := t.tx.settle(); err != nil {
		return nil, err
	}
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
