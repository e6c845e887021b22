package mem

import (
	"maps"
	"slices"

	"github.com/tidwall/btree"
)

// rows are the records of a table by their identifiers.
type rows[T any] interface {
	// get is the record with an identifier, nil when there is none. write says that nobody else uses the rows.
	get(id string, write bool) *T
	// put adds a record, or replaces the one with its identifier.
	put(id string, record *T)
	remove(id string)
	// descend visits records from the one with the given identifier down; empty: from the greatest.
	descend(from string, visit func(id string, record *T) (more bool))
}

// ordered rows are a B-tree: their identifiers grow with time, and those of about the same time are used together.
type ordered[T any] struct {
	tree *btree.BTreeG[row[T]]
	// Where was written and read last, which is about where that will be next. Whoever writes uses them.
	added, used btree.PathHint
	last        string // the greatest identifier that ever was
}

type row[T any] struct {
	id     string
	record *T
}

func newOrdered[T any]() *ordered[T] {
	before := func(a, b row[T]) bool { return a.id < b.id }
	return &ordered[T]{tree: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})} // the world's lock orders what is done to it
}

func (o *ordered[T]) get(id string, write bool) *T {
	if id > o.last {
		return nil
	}
	if !write {
		found, _ := o.tree.Get(row[T]{id: id})
		return found.record
	}
	found, _ := o.tree.GetHint(row[T]{id: id}, &o.used)
	return found.record
}

func (o *ordered[T]) put(id string, record *T) {
	if id > o.last {
		o.last = id
		o.tree.SetHint(row[T]{id, record}, &o.added)
		return
	}
	o.tree.SetHint(row[T]{id, record}, &o.used)
}

func (o *ordered[T]) remove(id string) { o.tree.Delete(row[T]{id: id}) }

func (o *ordered[T]) descend(from string, visit func(string, *T) bool) {
	each := func(r row[T]) bool { return visit(r.id, r.record) }
	if from == "" {
		o.tree.Reverse(each)
	} else {
		o.tree.Descend(row[T]{id: from}, each)
	}
}

// hashed rows are a map: their identifiers are anything, and hardly ever is it asked for their order.
type hashed[T any] map[string]*T

func (h hashed[T]) get(id string, _ bool) *T { return h[id] }
func (h hashed[T]) put(id string, record *T) { h[id] = record }
func (h hashed[T]) remove(id string)         { delete(h, id) }

func (h hashed[T]) descend(from string, visit func(string, *T) bool) {
	ids := slices.Sorted(maps.Keys(h))
	for _, id := range slices.Backward(ids) {
		if (from == "" || id <= from) && !visit(id, h[id]) {
			return
		}
	}
}
