package compact

import "encoding/binary"

// Slabs hold records of bytes in few large blocks. A record does not change; one that is freed leaves a gap, and when
// more than half of a block are gaps, its other records move to another one.
type Slabs struct {
	moved   func(owner uint32, to Ref)
	blocks  []block
	unused  []uint32 // the blocks that have been released
	current uint32   // the block that takes new records
}

// A block holds records one after the other: the owner's four bytes, the size shifted by one bit, which is set when the
// record is freed, and the record.
type block struct {
	data  []byte
	freed int // bytes of data
}

// A Ref is where Slabs hold a record: the number of the block and the place in it. None is zero.
type Ref uint64

const (
	// firstBlock and largestBlock are sizes of blocks. Each is twice as large as the one before, since most worlds are
	// small.
	firstBlock, largestBlock = 1 << 10, 256 << 10
	// ownBlock is the size from which a record gets a block of its own, which leaves less of other blocks unused.
	ownBlock = 16 << 10
	// ownerSize is the number of bytes of an owner.
	ownerSize = 4
)

// NewSlabs returns empty slabs. They call moved when a record has moved to another place.
func NewSlabs(moved func(owner uint32, to Ref)) *Slabs {
	return &Slabs{moved: moved, blocks: make([]block, 1)}
}

// Add copies a record. The owner is told to moved. Add may move other records.
func (s *Slabs) Add(owner uint32, record []byte) Ref {
	size := ownerSize + binary.MaxVarintLen32 + len(record) // at the most
	at := s.current
	if size >= ownBlock {
		at = s.newBlock(size)
	}
	for len(s.blocks[at].data)+size > cap(s.blocks[at].data) {
		full := at
		at = s.newBlock(min(max(2*cap(s.blocks[full].data), firstBlock, size), largestBlock))
		s.current = at
		s.release(full)
		at = s.current
	}
	b := &s.blocks[at]
	ref := Ref(at)<<32 | Ref(len(b.data))
	b.data = binary.LittleEndian.AppendUint32(b.data, owner)
	b.data = binary.AppendUvarint(b.data, uint64(len(record))<<1)
	b.data = append(b.data, record...)
	return ref
}

// Get returns a record, which the caller must not change. It stays as it is, also when the record moves or is freed.
func (s *Slabs) Get(ref Ref) []byte {
	_, record, _ := s.blocks[ref>>32].read(int(uint32(ref)))
	return record
}

// Free removes a record. It may move other records.
func (s *Slabs) Free(ref Ref) {
	at, place := uint32(ref>>32), int(uint32(ref))
	b := &s.blocks[at]
	_, _, end := b.read(place)
	b.data[place+ownerSize] |= 1
	b.freed += end - place
	if at != s.current {
		s.release(at)
	}
}

// release moves the records of a block of which more than half is freed, and releases its memory.
func (s *Slabs) release(at uint32) {
	b := s.blocks[at]
	if len(b.data) == 0 || 2*b.freed <= len(b.data) {
		return
	}
	s.blocks[at].freed = 0 // what follows must not release it again
	for place := 0; place < len(b.data); {
		owner, record, end := b.read(place)
		if b.data[place+ownerSize]&1 == 0 {
			s.moved(owner, s.Add(owner, record))
		}
		place = end
	}
	s.blocks[at] = block{}
	s.unused = append(s.unused, at)
}

// newBlock returns the number of an empty block.
func (s *Slabs) newBlock(size int) uint32 {
	b := block{data: make([]byte, 0, size)}
	if last := len(s.unused) - 1; last >= 0 {
		at := s.unused[last]
		s.unused, s.blocks[at] = s.unused[:last], b
		return at
	}
	s.blocks = append(s.blocks, b)
	return uint32(len(s.blocks) - 1)
}

// read returns the record at a place, its owner, and where it ends.
func (b *block) read(place int) (owner uint32, record []byte, end int) {
	owner = binary.LittleEndian.Uint32(b.data[place:])
	size, n := binary.Uvarint(b.data[place+ownerSize:])
	begin := place + ownerSize + n
	end = begin + int(size>>1)
	return owner, b.data[begin:end:end], end
}
