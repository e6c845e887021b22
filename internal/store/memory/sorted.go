package memory

import (
	"cmp"

	"github.com/tidwall/btree"
)

// A sorted is a set of identifiers in their order. Most sets hold a single one, which needs no tree.
type sorted struct {
	only string
	tree *tree // nil: there is only, or nothing
}

// A tree holds identifiers in their order. When records go from one value to the next, most leave the tree at its
// front, so that it remembers the place of the last removal.
type tree struct {
	*btree.BTreeG[string]
	removed btree.PathHint
}

func newTree() *tree {
	return &tree{BTreeG: btree.NewBTreeGOptions(cmp.Less[string], btree.Options{NoLocks: true})} // the world has a lock
}

// put adds an identifier, unless it is there.
func (s *sorted) put(id string) {
	switch {
	case s.tree != nil:
		s.tree.Load(id) // faster than Set at the end
	case s.only == "":
		s.only = id
	case s.only != id:
		s.tree = newTree()
		s.tree.Set(s.only)
		s.tree.Set(id)
	}
}

// remove removes an identifier and reports whether the set is empty then.
func (s *sorted) remove(id string) (empty bool) {
	if s.tree == nil {
		if s.only == id {
			s.only = ""
		}
		return s.only == ""
	}
	s.tree.DeleteHint(id, &s.tree.removed)
	return s.tree.Len() == 0
}

// least is the least identifier; empty: there is none.
func (s *sorted) least() string {
	if s.tree == nil {
		return s.only
	}
	least, _ := s.tree.Min()
	return least
}

// descend visits the identifiers from one down, or from the greatest if it is empty, while visit returns true.
func (s *sorted) descend(from string, visit func(id string) (more bool)) {
	switch {
	case s.tree == nil:
		if s.only != "" && (from == "" || s.only <= from) {
			visit(s.only)
		}
	case from == "":
		s.tree.Reverse(visit)
	default:
		s.tree.Descend(from, visit)
	}
}
