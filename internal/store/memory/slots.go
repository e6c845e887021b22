package memory

import "github.com/payctl/payctl/internal/store/memory/compact"

// parts are values by number, in parts, so that there is never much to move at once.
type parts[E any] [][]E

const (
	// perPart makes parts of 8 kB or a little more.
	perPart = 1024
	// fewest is how many the first part has at first. It is doubled until it is full, since most worlds are small.
	fewest = 8
)

func (p parts[E]) at(number uint32) *E { return &p[number/perPart][number%perPart] }

// reach makes room for the number after the last one, if there is none.
func (p *parts[E]) reach(number uint32) {
	size := perPart
	switch last, place := len(*p)-1, int(number%perPart); {
	case last < int(number/perPart):
		if last < 0 {
			size = fewest
		}
		*p = append(*p, make([]E, size))
	case place == len((*p)[last]):
		(*p)[last] = append(make([]E, 0, 2*place), (*p)[last]...)[:2*place]
	}
}

// slots give each record of a table, or job of a queue, a number: its slot. They know where the packed record of each
// slot is. A slot is used again when its record is gone.
type slots struct {
	refs  parts[compact.Ref] // by slot
	used  uint32             // the slots from here on have never been taken
	free  []uint32           // slots that were released
	slabs *compact.Slabs
}

func newSlots() *slots {
	s := &slots{}
	s.slabs = compact.NewSlabs(func(slot uint32, to compact.Ref) { *s.refs.at(slot) = to })
	return s
}

// take returns a free slot.
func (s *slots) take() (slot uint32) {
	if last := len(s.free) - 1; last >= 0 {
		slot, s.free = s.free[last], s.free[:last]
		return slot
	}
	slot = s.used
	s.used++
	s.refs.reach(slot)
	return slot
}

// release drops the packed record of a slot, and frees the slot.
func (s *slots) release(slot uint32) {
	s.drop(slot)
	s.free = append(s.free, slot)
}

// get returns the packed record of a slot.
func (s *slots) get(slot uint32) []byte { return s.slabs.Get(*s.refs.at(slot)) }

// put gives a slot that has none a packed record.
func (s *slots) put(slot uint32, record []byte) {
	to := s.slabs.Add(slot, record) // which may set other references
	*s.refs.at(slot) = to
}

// drop drops the packed record of a slot, if it has one.
func (s *slots) drop(slot uint32) {
	if ref := s.refs.at(slot); *ref != 0 {
		s.slabs.Free(*ref)
		*ref = 0
	}
}
