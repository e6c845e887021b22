package compact

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSlabsHoldWhatWasAdded and nothing else, also when records move.
func TestSlabsHoldWhatWasAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		refs, records := map[uint32]Ref{}, map[uint32][]byte{}
		slabs := NewSlabs(func(owner uint32, to Ref) {
			require.NotZero(t, refs[owner], "a freed record has moved")
			refs[owner] = to
		})
		var owners []uint32 // of records that have not been freed
		live, next := 0, uint32(0)
		for range rapid.IntRange(1, 15).Draw(t, "rounds") {
			size := rapid.SampledFrom([]int{0, 1, 100, 2000, ownBlock - 20, ownBlock, largestBlock, 2 * largestBlock}).Draw(t, "size")
			for range min(rapid.IntRange(0, 100).Draw(t, "added"), 1+largestBlock/max(size, 1)) {
				next++
				record := bytes.Repeat([]byte{byte(next)}, size)
				refs[next] = slabs.Add(next, record)
				require.NotZero(t, refs[next])
				records[next], owners = record, append(owners, next)
				live += size + overhead
			}
			for range min(rapid.IntRange(0, 100).Draw(t, "freed"), len(owners)) {
				i := rapid.IntRange(0, len(owners)-1).Draw(t, "which")
				owner := owners[i]
				owners[i] = owners[len(owners)-1]
				owners = owners[:len(owners)-1]
				ref := refs[owner]
				live -= len(records[owner]) + overhead
				delete(refs, owner)
				delete(records, owner)
				slabs.Free(ref)
			}
			for owner, record := range records {
				require.True(t, bytes.Equal(record, slabs.Get(refs[owner])))
			}
			require.LessOrEqual(t, held(slabs), 2*live+2*largestBlock+2*ownBlock, "memory that is not used is not released")
		}
	})
}

// overhead is the most that a record of the test takes besides its bytes.
const overhead = ownerSize + 3

// held is how many bytes the blocks of slabs take.
func held(s *Slabs) (sum int) {
	for _, b := range s.blocks {
		sum += cap(b.data)
	}
	return sum
}

// TestSlabsStaySmallUnderChurn when the oldest records are replaced again and again, but for a few.
func TestSlabsStaySmallUnderChurn(t *testing.T) {
	t.Parallel()
	const kept, size = 1000, 300
	refs := map[uint32]Ref{}
	slabs := NewSlabs(func(owner uint32, to Ref) { refs[owner] = to })
	for owner := range uint32(100 * kept) {
		refs[owner] = slabs.Add(owner, make([]byte, size))
		if old := owner - kept; owner >= kept && old%1000 != 0 {
			ref := refs[old]
			delete(refs, old)
			slabs.Free(ref)
		}
	}
	require.Less(t, held(slabs), 3*len(refs)*size)
	require.Less(t, len(slabs.blocks), 20)
}

// TestSmallSlabsAreSmall because most worlds have few records.
func TestSmallSlabsAreSmall(t *testing.T) {
	t.Parallel()
	slabs := NewSlabs(func(uint32, Ref) {})
	require.Zero(t, held(slabs))
	slabs.Add(1, make([]byte, 100))
	require.Equal(t, firstBlock, held(slabs))
}
