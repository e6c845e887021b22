package memory

import (
	"cmp"
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// A table holds records by identifier, and the identifiers in order: of all, and of those that have a value in an
// indexed column. A change of a record costs the same however many there are.
type table[T any, P store.Record[T]] struct {
	world   *world
	rows    map[string]*T
	all     *sorted // nil: they are sorted for each list
	columns []string
	indexes []map[string]*sorted // for each column, by value
}

// newTable makes a table that is listed, and by the values in columns.
func newTable[T any, P store.Record[T]](w *world, columns ...string) table[T, P] {
	t := newLookup[T, P](w)
	t.all, t.columns = &sorted{tree: newTree()}, columns
	for range columns {
		t.indexes = append(t.indexes, map[string]*sorted{})
	}
	return t
}

// newLookup makes a table that is hardly ever listed.
func newLookup[T any, P store.Record[T]](w *world) table[T, P] {
	return table[T, P]{world: w, rows: map[string]*T{}}
}

// Get implements store.Table.
func (t *table[T, P]) Get(id string) (*T, error) {
	record := t.rows[id]
	if record == nil {
		return nil, store.ErrNotFound
	}
	return record, nil
}

// Put implements store.Table.
func (t *table[T, P]) Put(record *T) error { return t.write(P(record).RecordID(), record) }

// Delete implements store.Table.
func (t *table[T, P]) Delete(id string) error {
	if t.rows[id] == nil {
		return store.ErrNotFound
	}
	return t.write(id, nil)
}

// write replaces the record with an identifier, which undo brings back. Either may be nil: there is none.
func (t *table[T, P]) write(id string, record *T) error {
	if !t.world.writing {
		return errReadOnly
	}
	before := t.rows[id]
	t.world.undo = append(t.world.undo, func() { t.replace(id, record, before) })
	t.replace(id, before, record)
	return nil
}

// replace replaces a record by another one. Either may be nil.
func (t *table[T, P]) replace(id string, old, record *T) {
	if record == nil {
		delete(t.rows, id)
	} else {
		t.rows[id] = record
	}
	if t.all != nil && (old == nil) != (record == nil) {
		if old == nil {
			t.all.put(id)
		} else {
			t.all.remove(id)
		}
	}
	for i, column := range t.columns {
		var was, now string
		if old != nil {
			was = P(old).Indexed(column)
		}
		if record != nil {
			now = P(record).Indexed(column)
		}
		if was == now {
			continue
		}
		if was != "" && t.indexes[i][was].remove(id) {
			delete(t.indexes[i], was)
		}
		if now != "" {
			if t.indexes[i][now] == nil {
				t.indexes[i][now] = new(sorted)
			}
			t.indexes[i][now].put(id)
		}
	}
}

// List implements store.Table.
func (t *table[T, P]) List(q store.Query) ([]*T, error) {
	found := []*T{}
	if q.Limit <= 0 {
		return found, nil
	}
	t.candidates(q).descend(q.Before, func(id string) (more bool) {
		if id != q.Before {
			if record := t.rows[id]; matches(P(record), q) {
				found = append(found, record)
			}
		}
		return len(found) < q.Limit
	})
	return found, nil
}

// least is the least identifier of the records that have a value in an indexed column; empty: there is none.
func (t *table[T, P]) least(column, value string) string {
	if ids := t.indexes[slices.Index(t.columns, column)][value]; ids != nil {
		return ids.least()
	}
	return ""
}

// candidates are the identifiers that a query selects from: those of the first column that it names, otherwise all.
func (t *table[T, P]) candidates(q store.Query) *sorted {
	for i, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			return cmp.Or(t.indexes[i][value], new(sorted))
		}
	}
	if t.all != nil {
		return t.all
	}
	all := new(sorted)
	for id := range t.rows {
		all.put(id)
	}
	return all
}

func matches[T any, P store.Record[T]](record P, q store.Query) bool {
	for column, value := range q.Where {
		if record.Indexed(column) != value {
			return false
		}
	}
	return true
}
