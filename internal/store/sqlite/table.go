package sqlite

import (
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/store"
)

// table is a store.Table in a transaction.
type table[T any, P store.Record[T]] struct {
	tx     *tx
	schema *schema
	world  string // in the rows
}

func tableOf[T any, P store.Record[T]](t *tx, s *schema, world string) store.Table[T] {
	return table[T, P]{t, s, world}
}

func (t table[T, P]) key(id string) recordKey { return recordKey{t.schema, t.world, id} }

// Get implements store.Table.
func (t table[T, P]) Get(id string) (*T, error) {
	key := t.key(id)
	if t.tx.writes() {
		if write := t.tx.buffered(key); write != nil {
			if write.record == nil {
				return nil, store.ErrNotFound
			}
			known, _ := write.record.(P)
			return known, nil
		}
		if known, ok := t.tx.batch.cache.records[key].(P); ok {
			return known, nil
		}
	}
	var document []byte
	err := t.tx.conn.Row(t.schema.get, []any{t.world, id}, &document)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, t.tx.fail(err)
	}
	record, err := decode[T](document)
	if err == nil && t.tx.writes() {
		t.tx.batch.cache.put(key, P(record), len(document))
	}
	return record, err
}

// Put implements store.Table.
func (t table[T, P]) Put(record *T) error {
	document, err := json.Marshal(record, encoding)
	if err != nil {
		return err
	}
	return t.tx.write(&recordWrite{t.key(P(record).RecordID()), P(record), string(document)})
}

// Delete implements store.Table.
func (t table[T, P]) Delete(id string) error {
	if !t.tx.writes() {
		return errReadOnly
	}
	if _, err := t.Get(id); err != nil {
		return err
	}
	return t.tx.write(&recordWrite{key: t.key(id)})
}

// List implements store.Table.
func (t table[T, P]) List(q store.Query) ([]*T, error) {
	query, args := t.schema.list(t.world, q)
	return readDocuments[T](t.tx, query, args)
}

// readDocuments decodes the documents that a query selects.
func readDocuments[T any](t *tx, query string, args []any) ([]*T, error) {
	found := []*T{}
	err := t.query(query, args, func(scan func(...any) error) error {
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

func decode[T any](document []byte) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(document, value, encoding); err != nil {
		return nil, err
	}
	return value, nil
}
