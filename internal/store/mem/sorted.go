package mem

import (
	"cmp"

	"github.com/tidwall/btree"
)

// sorted is a set of identifiers in their order. Many have one alone, which costs no tree.
type sorted struct {
	only string
	tree *tree // nil: there is only, or nothing
}

// tree holds identifiers in their order. Where records go from value to value most leave at its front, so it remembers
// where that was last.
type tree struct {
	*btree.BTreeG[string]
	removed btree.PathHint
}

func newTree() *tree {
	// The world's lock orders what is done to it.
	return &tree{BTreeG: btree.NewBTreeGOptions(cmp.Less[string], btree.Options{NoLocks: true})}
}

// put adds an identifier, unless it is there.
func (s *sorted) put(id string) {
	switch {
	case s.tree != nil:
		s.tree.Load(id) // which tries the end first
	case s.only == "":
		s.only = id
	case s.only != id:
		s.tree = newTree()
		s.tree.Set(s.only)
		s.tree.Set(id)
	}
}

// remove takes an identifier away. Empty says that none is left.
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

// descend visits the identifiers from the given one down; empty: from the greatest.
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
