package mem

import (
	"strings"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// table holds records by identifier, with B-trees of the identifiers in order: one of all, and one for each indexed
// column. A change of a record costs the same however many there are.
type table[T any, P store.Record[T]] struct {
	rows    map[string]*T
	all     btree.Set[string]
	columns []string
	indexes map[string]*btree.BTreeG[entry]
}

// entry is a record in the index of a column.
type entry struct{ value, id string }

func before(a, b entry) bool {
	if c := strings.Compare(a.value, b.value); c != 0 {
		return c < 0
	}
	return a.id < b.id
}

func newTable[T any, P store.Record[T]](columns []string) *table[T, P] {
	t := &table[T, P]{rows: map[string]*T{}, columns: columns, indexes: map[string]*btree.BTreeG[entry]{}}
	for _, column := range columns {
		// The world's lock orders what is done to it.
		t.indexes[column] = btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})
	}
	return t
}

// put replaces what is there under the identifier: old, which is nil when nothing is.
func (t *table[T, P]) put(id string, record, old *T) {
	t.rows[id] = record
	if old == nil {
		t.all.Insert(id)
	}
	for _, column := range t.columns {
		value := P(record).Indexed(column)
		if old != nil {
			if was := P(old).Indexed(column); was == value {
				continue
			} else if was != "" {
				t.indexes[column].Delete(entry{was, id})
			}
		}
		if value != "" {
			t.indexes[column].Set(entry{value, id})
		}
	}
}

func (t *table[T, P]) remove(id string) {
	record := t.rows[id]
	delete(t.rows, id)
	t.all.Delete(id)
	for _, column := range t.columns {
		t.indexes[column].Delete(entry{P(record).Indexed(column), id})
	}
}

// list walks identifiers from the greatest down: those of the first column that the query names, else all.
func (t *table[T, P]) list(q store.Query) []*T {
	found := []*T{}
	visit := func(id string) (more bool) {
		if id == q.Before {
			return true
		}
		if record := t.rows[id]; matches(P(record), q) {
			found = append(found, record)
		}
		return len(found) < q.Limit
	}
	if q.Limit <= 0 {
		return found
	}
	for _, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			t.walk(column, value, q.Before, visit)
			return found
		}
	}
	if q.Before == "" {
		t.all.Reverse(visit)
	} else {
		t.all.Descend(q.Before, visit)
	}
	return found
}

// afterAll comes after every identifier, which are ASCII.
const afterAll = "\x7f"

// walk visits the identifiers of a value in a column from the given one down.
func (t *table[T, P]) walk(column, value, from string, visit func(id string) bool) {
	if from == "" {
		from = afterAll
	}
	t.indexes[column].Descend(entry{value, from}, func(e entry) bool {
		return e.value == value && visit(e.id)
	})
}

func matches[T any, P store.Record[T]](record P, q store.Query) bool {
	for column, value := range q.Where {
		if record.Indexed(column) != value {
			return false
		}
	}
	return q.CreatedAfter.IsZero() || record.Created().After(q.CreatedAfter)
}
