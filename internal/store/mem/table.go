package mem

import "github.com/payctl/payctl/internal/store"

// table holds records by identifier, with the identifiers in order: of all, and of those that have a value in an indexed
// column. A change of a record costs the same however many there are.
type table[T any, P store.Record[T]] struct {
	rows    map[string]*T
	all     *sorted // nil: they are put in order when somebody asks for it
	columns []string
	indexes []map[string]*sorted // for each column, by value
}

// newTable is a table that is listed, by the values in columns too.
func newTable[T any, P store.Record[T]](columns []string) *table[T, P] {
	t := &table[T, P]{rows: map[string]*T{}, all: &sorted{tree: newTree()}, columns: columns}
	for range columns {
		t.indexes = append(t.indexes, map[string]*sorted{})
	}
	return t
}

// newLookup is a table that is looked up in, and hardly ever listed.
func newLookup[T any, P store.Record[T]]() *table[T, P] { return &table[T, P]{rows: map[string]*T{}} }

// put replaces what is there under the identifier: old, which is nil when nothing is.
func (t *table[T, P]) put(id string, record, old *T) {
	t.rows[id] = record
	if old == nil && t.all != nil {
		t.all.put(id)
	}
	for i, column := range t.columns {
		value := P(record).Indexed(column)
		if old != nil {
			was := P(old).Indexed(column)
			if was == value {
				continue
			}
			t.unindex(i, was, id)
		}
		if value != "" {
			t.index(i, value).put(id)
		}
	}
}

func (t *table[T, P]) remove(id string, record *T) {
	delete(t.rows, id)
	if t.all != nil {
		t.all.remove(id)
	}
	for i, column := range t.columns {
		t.unindex(i, P(record).Indexed(column), id)
	}
}

// index holds those that have a value in the column of that number.
func (t *table[T, P]) index(column int, value string) *sorted {
	known := t.indexes[column][value]
	if known == nil {
		known = new(sorted)
		t.indexes[column][value] = known
	}
	return known
}

// unindex takes an identifier from those that have a value in the column of that number.
func (t *table[T, P]) unindex(column int, value, id string) {
	if value != "" && t.indexes[column][value].remove(id) {
		delete(t.indexes[column], value)
	}
}

// list walks identifiers from the greatest down.
func (t *table[T, P]) list(q store.Query) []*T {
	found := []*T{}
	if q.Limit <= 0 {
		return found
	}
	t.among(q).descend(q.Before, func(id string) (more bool) {
		if id != q.Before {
			if record := t.rows[id]; matches(P(record), q) {
				found = append(found, record)
			}
		}
		return len(found) < q.Limit
	})
	return found
}

// among are the identifiers that a query selects from: those of the first column that it names, else all.
func (t *table[T, P]) among(q store.Query) *sorted {
	for i, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			if known := t.indexes[i][value]; known != nil {
				return known
			}
			return new(sorted)
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
	return q.CreatedAfter.IsZero() || record.Created().After(q.CreatedAfter)
}
