package batch

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// runLength is how many hashes are sorted at once, and runBuffer how many bytes of a run that is on the disk are read at once.
const (
	runLength = 64 << 10
	runBuffer = 4 << 10
)

// runs sorts more numbers than the memory should hold: some at a time, which go to a file that has no name where the system
// allows it and goes with the program. Where there is no room for a file they stay in memory.
type runs struct {
	length int // of a run; zero: runLength
	open   []uint64
	file   *os.File
	name   string     // of the file, where it has to be removed
	ends   []int64    // of the runs in the file
	kept   [][]uint64 // runs for which there is no file
}

func (r *runs) add(number uint64) {
	if r.open == nil {
		r.open = make([]uint64, 0, cmp.Or(r.length, runLength))
	}
	r.open = append(r.open, number)
	if len(r.open) == cap(r.open) {
		r.end()
	}
}

// end puts a run away.
func (r *runs) end() {
	slices.Sort(r.open)
	if err := r.write(); err != nil {
		r.kept = append(r.kept, r.open)
		r.open = nil
		return
	}
	r.open = r.open[:0]
}

func (r *runs) write() (err error) {
	if r.file == nil {
		if len(r.kept) > 0 {
			return errors.ErrUnsupported // there was no file for those before
		}
		if r.file, err = os.CreateTemp("", "payctl-*.tmp"); err != nil { // 0600
			return err
		}
		r.name = r.file.Name()
		if os.Remove(r.name) == nil {
			r.name = ""
		}
	}
	start := int64(0)
	if n := len(r.ends); n > 0 {
		start = r.ends[n-1]
	}
	bytes := make([]byte, 0, runBuffer)
	to := io.NewOffsetWriter(r.file, start)
	for some := range slices.Chunk(r.open, runBuffer/8) {
		bytes = bytes[:0]
		for _, number := range some {
			bytes = binary.LittleEndian.AppendUint64(bytes, number)
		}
		if _, err := to.Write(bytes); err != nil {
			return err
		}
	}
	r.ends = append(r.ends, start+int64(8*len(r.open)))
	return nil
}

// close gives up the file.
func (r *runs) close() {
	if r.file == nil {
		return
	}
	_ = r.file.Close()
	if r.name != "" {
		_ = os.Remove(r.name)
	}
	r.file = nil
}

// each calls a function for every number, in their order, until it returns false.
func (r *runs) each(see func(uint64) bool) error {
	slices.Sort(r.open)
	var heads sources
	for _, numbers := range append(slices.Clone(r.kept), r.open) {
		heads = append(heads, &run{numbers: numbers})
	}
	start := int64(0)
	for _, end := range r.ends {
		heads = append(heads, &run{
			from: bufio.NewReaderSize(io.NewSectionReader(r.file, start, end-start), runBuffer), left: (end - start) / 8,
		})
		start = end
	}
	rest := heads[:0]
	for _, head := range heads {
		more, err := head.next()
		if err != nil {
			return err
		}
		if more {
			rest = append(rest, head)
		}
	}
	heads = rest
	heap.Init(&heads)
	for len(heads) > 0 {
		if !see(heads[0].number) {
			return nil
		}
		more, err := heads[0].next()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(&heads, 0)
		default:
			heap.Pop(&heads)
		}
	}
	return nil
}

// A run is sorted numbers, of which the first one left is looked at.
type run struct {
	number  uint64
	numbers []uint64
	from    *bufio.Reader // nil: they are in memory
	left    int64         // numbers in from
}

func (r *run) next() (more bool, err error) {
	if r.from == nil {
		if len(r.numbers) == 0 {
			return false, nil
		}
		r.number, r.numbers = r.numbers[0], r.numbers[1:]
		return true, nil
	}
	if r.left == 0 {
		return false, nil
	}
	var bytes [8]byte
	switch _, err := io.ReadFull(r.from, bytes[:]); {
	case errors.Is(err, io.EOF):
		return false, io.ErrUnexpectedEOF // somebody cut the file
	case err != nil:
		return false, err
	}
	r.left--
	r.number = binary.LittleEndian.Uint64(bytes[:])
	return true, nil
}

// sources implements heap.Interface.
type sources []*run

func (s sources) Len() int           { return len(s) }
func (s sources) Less(a, b int) bool { return s[a].number < s[b].number }
func (s sources) Swap(a, b int)      { s[a], s[b] = s[b], s[a] }
func (s *sources) Push(x any)        { *s = append(*s, x.(*run)) }
func (s *sources) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
