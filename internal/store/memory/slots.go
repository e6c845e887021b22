package memory

import "github.com/payctl/payctl/internal/store/memory/compact"

// slots number what a table or a queue has, and know where each has its packed record. A number is used again when it
// is free.
type slots struct {
	refs  [][]compact.Ref // by number, in parts, so that there is never much to move at once
	free  []uint32
	slabs *compact.Slabs
}

// slotsPerPart makes parts of 8 kB.
const slotsPerPart = 1024

func newSlots() *slots {
	s := &slots{}
	s.slabs = compact.NewSlabs(func(slot uint32, to compact.Ref) { *s.ref(slot) = to })
	return s
}

// take returns a free number, which has no record.
func (s *slots) take() (slot uint32) {
	if len(s.free) == 0 {
		first := uint32(len(s.refs)) * slotsPerPart
		s.refs = append(s.refs, make([]compact.Ref, slotsPerPart))
		for i := range uint32(slotsPerPart) {
			s.free = append(s.free, first+slotsPerPart-1-i) // the least number is the last of them
		}
	}
	last := len(s.free) - 1
	slot, s.free = s.free[last], s.free[:last]
	return slot
}

// release drops the record of a number, and frees the number.
func (s *slots) release(slot uint32) {
	s.drop(slot)
	s.free = append(s.free, slot)
}

// ref is where the record of a number is; zero if it has none.
func (s *slots) ref(slot uint32) *compact.Ref {
	return &s.refs[slot/slotsPerPart][slot%slotsPerPart]
}

// get returns the record of a number.
func (s *slots) get(slot uint32) []byte { return s.slabs.Get(*s.ref(slot)) }

// put gives a number that has none a record.
func (s *slots) put(slot uint32, record []byte) {
	to := s.slabs.Add(slot, record) // which may set other references
	*s.ref(slot) = to
}

// drop drops the record of a number, if it has one.
func (s *slots) drop(slot uint32) {
	if ref := s.ref(slot); *ref != 0 {
		s.slabs.Free(*ref)
		*ref = 0
	}
}
