package mem

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// table holds records by identifier, with the identifiers in order: all of them, and those of each value of each
// indexed column. Identifiers grow with time, so that new ones nearly always go to the end of a list.
type table[T store.Record] struct {
	rows    map[string]*T
	all     ordered
	columns []string
	indexes map[string]map[string]*ordered
}

func newTable[T store.Record](columns []string) *table[T] {
	t := &table[T]{rows: map[string]*T{}, columns: columns, indexes: map[string]map[string]*ordered{}}
	for _, column := range columns {
		t.indexes[column] = map[string]*ordered{}
	}
	return t
}

func (t *table[T]) put(record *T) {
	id := (*record).RecordID()
	before := t.rows[id]
	t.rows[id] = record
	if before == nil {
		t.all.insert(id)
	}
	for _, column := range t.columns {
		value := (*record).Indexed(column)
		if before != nil {
			if (*before).Indexed(column) == value {
				continue
			}
			t.unindex(column, (*before).Indexed(column), id)
		}
		t.index(column, value, id)
	}
}

func (t *table[T]) remove(id string) {
	record := t.rows[id]
	delete(t.rows, id)
	t.all.delete(id)
	for _, column := range t.columns {
		t.unindex(column, (*record).Indexed(column), id)
	}
}

// restore puts back what was under an identifier; nil when nothing was.
func (t *table[T]) restore(id string, record *T) {
	if record == nil {
		t.remove(id)
		return
	}
	t.put(record)
}

func (t *table[T]) index(column, value, id string) {
	if value == "" {
		return
	}
	ids := t.indexes[column][value]
	if ids == nil {
		ids = &ordered{}
		t.indexes[column][value] = ids
	}
	ids.insert(id)
}

func (t *table[T]) unindex(column, value, id string) {
	ids := t.indexes[column][value]
	if ids == nil {
		return
	}
	ids.delete(id)
	if len(ids.ids) == 0 {
		delete(t.indexes[column], value)
	}
}

// list walks the shortest list of identifiers that the query allows, from its end.
func (t *table[T]) list(q store.Query) []*T {
	ids := &t.all
	for column, value := range q.Where {
		indexed := t.indexes[column][value]
		if indexed == nil {
			return []*T{}
		}
		if len(indexed.ids) < len(ids.ids) {
			ids = indexed
		}
	}
	end := len(ids.ids)
	if q.Before != "" {
		end, _ = slices.BinarySearch(ids.ids, q.Before)
	}
	found := []*T{}
	for i := end - 1; i >= 0 && len(found) < q.Limit; i-- {
		record := t.rows[ids.ids[i]]
		if matches(*record, q) {
			found = append(found, record)
		}
	}
	return found
}

func matches[T store.Record](record T, q store.Query) bool {
	for column, value := range q.Where {
		if record.Indexed(column) != value {
			return false
		}
	}
	return q.CreatedAfter.IsZero() || record.Created().After(q.CreatedAfter)
}

// ordered is a list of identifiers in ascending order.
type ordered struct{ ids []string }

func (o *ordered) insert(id string) {
	if n := len(o.ids); n == 0 || o.ids[n-1] < id {
		o.ids = append(o.ids, id)
		return
	}
	if i, found := slices.BinarySearch(o.ids, id); !found {
		o.ids = slices.Insert(o.ids, i, id)
	}
}

func (o *ordered) delete(id string) {
	if i, found := slices.BinarySearch(o.ids, id); found {
		o.ids = slices.Delete(o.ids, i, i+1)
	}
}
