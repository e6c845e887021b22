package batch

import (
	"hash/maphash"
)

// maxRows bounds the rows of a file by the memory that finding a reference that occurs twice takes: a hash and a line
// number a row, which a map keeps in 25 to 38 bytes, so up to 38 MB for a million rows and 145 MB for the largest
// file.
const maxRows = 5_000_000

// references finds references that occur twice. Two references of the largest file share a hash with a probability
// below one in a million. The file is then refused by mistake; the seed is random, so that running the line again
// helps.
type references struct {
	seed  maphash.Seed
	lines map[uint64]uint32 // by the hash of a reference: where it stands first
}

func newReferences() references { return references{maphash.MakeSeed(), map[uint64]uint32{}} }

// add adds a reference. If it is there already, add returns its line.
func (r references) add(reference string, line int) (first int, repeated bool) {
	hash := maphash.String(r.seed, reference)
	if first, repeated := r.lines[hash]; repeated {
		return int(first), true
	}
	r.lines[hash] = uint32(line) // a source of at most 4 GiB has no more lines
	return 0, false
}
