package memory

import (
	"time"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// A table holds the documents of one collection by their identifiers, and their identifiers by the values of each
// column.
type table struct {
	collection *store.Collection
	byID       btree.Map[string, store.Document]
	columns    []*btree.BTreeG[entry]  // like the collection's; nil means no document yet
	due        *btree.BTreeG[dueEntry] // nil means no document yet
}

// A dueEntry is when a document is due.
type dueEntry struct {
	at time.Time
	id string
}

func earlier(a, b dueEntry) bool {
	if order := a.at.Compare(b.at); order != 0 {
		return order < 0
	}
	return a.id < b.id
}

// An entry is one of a column's index. The empty identifier sorts before all documents with the value.
type entry struct{ value, id string }

func before(a, b entry) bool {
	return a.value < b.value || a.value == b.value && a.id < b.id
}

// set puts a document under an identifier, or removes it if document is nil. It returns the previous document or nil.
func (t *table) set(id string, document store.Document) (replaced store.Document) {
	if document != nil {
		replaced, _ = t.byID.Set(id, document)
	} else {
		replaced, _ = t.byID.Delete(id)
	}
	if t.due == nil {
		t.due = btree.NewBTreeGOptions(earlier, btree.Options{NoLocks: true})
		for range t.collection.Columns {
			t.columns = append(t.columns, btree.NewBTreeGOptions(before, btree.Options{NoLocks: true}))
		}
	}
	for i, column := range t.collection.Columns {
		was, is := indexed(replaced, column), indexed(document, column)
		if was == is {
			continue
		}
		if was != "" {
			t.columns[i].Delete(entry{was, id})
		}
		if is != "" {
			t.columns[i].Set(entry{is, id})
		}
	}
	if replaced != nil && !replaced.DueAt().IsZero() {
		t.due.Delete(dueEntry{replaced.DueAt(), id})
	}
	if document != nil && !document.DueAt().IsZero() {
		t.due.Set(dueEntry{document.DueAt(), id})
	}
	return replaced
}

func indexed(document store.Document, column string) string {
	if document == nil {
		return ""
	}
	return document.Indexed(column)
}

// list returns the documents that a query selects. It uses the index of the first column that the query has.
func (t *table) list(q store.Query) []store.Document {
	found := []store.Document{}
	take := func(document store.Document) (more bool) {
		for column, value := range q.Where {
			if document.Indexed(column) != value {
				return true
			}
		}
		found = append(found, document)
		return len(found) < q.Limit
	}
	if q.Limit <= 0 || t.byID.Len() == 0 {
		return found
	}
	for i, column := range t.collection.Columns {
		if value, selects := q.Where[column]; selects {
			t.walkColumn(t.columns[i], value, q, func(id string) bool {
				document, _ := t.byID.Get(id)
				return take(document)
			})
			return found
		}
	}
	t.walk(q, take)
	return found
}

// walk visits documents in a query's order and range while visit returns true.
func (t *table) walk(q store.Query, visit func(store.Document) bool) {
	if q.Ascending {
		t.byID.Ascend(q.After, func(id string, document store.Document) bool {
			return id == q.After || (q.Before == "" || id < q.Before) && visit(document)
		})
		return
	}
	down := func(id string, document store.Document) bool {
		return id == q.Before || id > q.After && visit(document)
	}
	if q.Before == "" {
		t.byID.Reverse(down)
		return
	}
	t.byID.Descend(q.Before, down)
}

// walkColumn is walk for the identifiers of documents that have a value in a column.
func (t *table) walkColumn(index *btree.BTreeG[entry], value string, q store.Query, visit func(id string) bool) {
	if q.Ascending {
		first := entry{value, q.After}
		index.Ascend(first, func(e entry) bool {
			return e == first || e.value == value && (q.Before == "" || e.id < q.Before) && visit(e.id)
		})
		return
	}
	last := entry{value, q.Before}
	if q.Before == "" {
		last.value += "\x00" // the least value that is greater
	}
	index.Descend(last, func(e entry) bool { return e == last || e.value == value && e.id > q.After && visit(e.id) })
}
