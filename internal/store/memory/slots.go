package memory

import "github.com/payctl/payctl/internal/store/memory/compact"

// slots give each record of a table, or job of a queue, a number: its slot. They know where the packed record of each
// slot is. A slot is used again when its record is gone.
type slots struct {
	refs  [][]compact.Ref // by slot, in parts, so that there is never much to move at once
	free  []uint32        // slots without a record
	slabs *compact.Slabs
}

// slotsPerPart makes parts of 8 kB.
const slotsPerPart = 1024

func newSlots() *slots {
	s := &slots{}
	s.slabs = compact.NewSlabs(func(slot uint32, to compact.Ref) { *s.ref(slot) = to })
	return s
}

// take returns a free slot.
func (s *slots) take() (slot uint32) {
	if len(s.free) == 0 {
		first := uint32(len(s.refs)) * slotsPerPart
		s.refs = append(s.refs, make([]compact.Ref, slotsPerPart))
		for i := range uint32(slotsPerPart) {
			s.free = append(s.free, first+slotsPerPart-1-i) // the least one is the last of them
		}
	}
	last := len(s.free) - 1
	slot, s.free = s.free[last], s.free[:last]
	return slot
}

// release drops the packed record of a slot, and frees the slot.
func (s *slots) release(slot uint32) {
	s.drop(slot)
	s.free = append(s.free, slot)
}

// ref is where the packed record of a slot is; zero if it has none.
func (s *slots) ref(slot uint32) *compact.Ref {
	return &s.refs[slot/slotsPerPart][slot%slotsPerPart]
}

// get returns the packed record of a slot.
func (s *slots) get(slot uint32) []byte { return s.slabs.Get(*s.ref(slot)) }

// put gives a slot that has none a packed record.
func (s *slots) put(slot uint32, record []byte) {
	to := s.slabs.Add(slot, record) // which may set other references
	*s.ref(slot) = to
}

// drop drops the packed record of a slot, if it has one.
func (s *slots) drop(slot uint32) {
	if ref := s.ref(slot); *ref != 0 {
		s.slabs.Free(*ref)
		*ref = 0
	}
}
