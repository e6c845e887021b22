package mem

import "github.com/payctl/payctl/internal/store"

// table holds records, and for each indexed column the identifiers of those that have a value in it. A change of a record
// costs about the same however many there are.
type table[T any, P store.Record[T]] struct {
	rows    rows[T]
	columns []string
	indexes []map[string]*sorted // for each column, by value
}

// newTable is a table that is listed, by the values in columns too.
func newTable[T any, P store.Record[T]](columns []string) *table[T, P] {
	t := &table[T, P]{rows: newOrdered[T](), columns: columns}
	for range columns {
		t.indexes = append(t.indexes, map[string]*sorted{})
	}
	return t
}

// newLookup is a table that is looked up in.
func newLookup[T any, P store.Record[T]]() *table[T, P] { return &table[T, P]{rows: hashed[T]{}} }

// put replaces what is there under the identifier: old, which is nil when nothing is.
func (t *table[T, P]) put(id string, record, old *T) {
	t.rows.put(id, record)
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
	t.rows.remove(id)
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

// list walks identifiers from the greatest down: those of the first column that the query names, else all.
func (t *table[T, P]) list(q store.Query) []*T {
	found := []*T{}
	if q.Limit <= 0 {
		return found
	}
	visit := func(id string, record *T) (more bool) {
		if id != q.Before && matches(P(record), q) {
			found = append(found, record)
		}
		return len(found) < q.Limit
	}
	for i, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			if among := t.indexes[i][value]; among != nil {
				among.descend(q.Before, func(id string) bool { return visit(id, t.rows.get(id, false)) })
			}
			return found
		}
	}
	t.rows.descend(q.Before, visit)
	return found
}

func matches[T any, P store.Record[T]](record P, q store.Query) bool {
	for column, value := range q.Where {
		if record.Indexed(column) != value {
			return false
		}
	}
	return q.CreatedAfter.IsZero() || record.Created().After(q.CreatedAfter)
}
