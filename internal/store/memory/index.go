package memory

// identified compares the identifier of the record in a slot with another one.
type identified interface {
	compare(slot uint32, id string) int
}

// idSet is a set of slots in the order of the identifiers of their records.
type idSet struct{ blocks[uint32] }

// find returns the place of the first record whose identifier is not less than one.
func (s *idSet) find(of identified, id string) place {
	return s.blocks.find(func(slot uint32) bool { return of.compare(slot, id) >= 0 })
}

func (s *idSet) put(of identified, slot uint32, id string) { s.insert(s.find(of, id), slot) }

// An index finds the slots of records by the hash of a value. Records with different values may have the same hash, so
// that the values of what is found have to be compared.
type index struct {
	of   identified
	one  map[uint32]uint32 // by hash, if there is one record
	many map[uint32]*idSet // if there have been several
}

func newIndex(of identified) index {
	return index{of: of, one: map[uint32]uint32{}, many: map[uint32]*idSet{}}
}

// put adds a record.
func (x *index) put(hash, slot uint32, id string) {
	set := x.many[hash]
	if set == nil {
		other, found := x.one[hash]
		if !found {
			x.one[hash] = slot
			return
		}
		delete(x.one, hash)
		set = new(idSet)
		set.insert(place{}, other)
		x.many[hash] = set
	}
	set.put(x.of, slot, id)
}

// remove removes a record that is in the index.
func (x *index) remove(hash uint32, id string) {
	set := x.many[hash]
	if set == nil {
		delete(x.one, hash)
		return
	}
	set.blocks.remove(set.find(x.of, id))
	if len(set.list) == 0 {
		delete(x.many, hash)
	}
}

// slots returns the slots under a hash.
func (x *index) slots(hash uint32) *idSet {
	if set := x.many[hash]; set != nil {
		return set
	}
	set := new(idSet)
	if slot, found := x.one[hash]; found {
		set.insert(place{}, slot)
	}
	return set
}

// each visits all slots.
func (x *index) each(visit func(slot uint32)) {
	for _, slot := range x.one {
		visit(slot)
	}
	for _, set := range x.many {
		set.ascend(func(slot uint32) (more bool) { visit(slot); return true })
	}
}

// find returns the slot of the record with an identifier in an index by identifiers.
func (x *index) find(hash uint32, id string) (slot uint32, found bool) {
	if slot, found = x.one[hash]; found {
		return slot, x.of.compare(slot, id) == 0
	}
	if set := x.many[hash]; set != nil {
		if slot, found = set.get(set.find(x.of, id)); found {
			return slot, x.of.compare(slot, id) == 0
		}
	}
	return 0, false
}
