package sql

import (
	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/store"
)

// table is a store.Table in a transaction.
type table[T any, P store.Record[T]] struct {
	tx     *tx
	schema *schema
}

// Get implements store.Table.
func (t table[T, P]) Get(id string) (*T, error) {
	key := recordKey{t.schema, id}
	if r, known := t.tx.known(key); known {
		if found, ok := r.(P); ok {
			return found, nil
		}
		return nil, store.ErrNotFound
	}
	var document []byte
	err := t.tx.read(t.schema.get, []any{t.schema.rows(t.tx.state), id}, func(scan func(...any) error) error {
		return scan(&document)
	})
	if err != nil {
		return nil, err
	}
	if document == nil {
		t.tx.remember(key, nil, 0)
		return nil, store.ErrNotFound
	}
	found, err := decode[T](document)
	if err == nil {
		t.tx.remember(key, P(found), len(document))
	}
	return found, err
}

// Put implements store.Table.
func (t table[T, P]) Put(r *T) error {
	document, err := encode(r)
	if err != nil {
		return err
	}
	key := recordKey{t.schema, P(r).RecordID()}
	before, _ := t.tx.known(key)
	return t.tx.put(key, recordWrite{P(r), document, t.schema.replaces(before, P(r))})
}

// Delete implements store.Table.
func (t table[T, P]) Delete(id string) error {
	if !t.tx.writes() {
		return errReadOnly
	}
	if _, err := t.Get(id); err != nil {
		return err
	}
	return t.tx.put(recordKey{t.schema, id}, recordWrite{})
}

// List implements store.Table.
func (t table[T, P]) List(q store.Query) ([]*T, error) {
	if found, ok := t.latest(q); ok {
		return found, nil
	}
	query, args := t.schema.list(t.schema.rows(t.tx.state), q)
	found := []*T{}
	err := t.tx.query(query, args, func(scan func(...any) error) error {
		var document []byte
		if err := scan(&document); err != nil {
			return err
		}
		value, err := decode[T](document)
		found = append(found, value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// latest returns the record with the greatest identifier, if it was fetched and the query is for that. Other queries
// first write what is buffered into the tables, so that they find it there.
func (t table[T, P]) latest(q store.Query) (found []*T, ok bool) {
	fetched, known := t.tx.state.latest[t.schema]
	if !known || q.Limit != 1 || q.Before != "" || len(q.Where) > 0 {
		return nil, false
	}
	var id string
	if latest, ok := fetched.(P); ok {
		id, found = latest.RecordID(), []*T{latest}
	}
	for _, writes := range t.tx.written() {
		for key, write := range writes {
			if key.schema != t.schema || key.id < id {
				continue
			}
			if write.record == nil {
				return nil, false
			}
			written, _ := t.tx.known(key) // by the last write
			latest, _ := written.(P)
			id, found = key.id, []*T{latest}
		}
	}
	return found, true
}

func decode[T any](document []byte) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(document, value, encoding); err != nil {
		return nil, err
	}
	return value, nil
}
