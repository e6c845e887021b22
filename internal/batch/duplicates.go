package batch

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
)

// maxCandidates is the most references that are looked into for being there twice.
const maxCandidates = 1000

const (
	partitions = 64
	block      = 1024
)

// duplicates finds references that occur twice. Each costs eight bytes: hashes are kept in blocks that are never copied,
// apart by their first bits, so that they are sorted one part at a time.
type duplicates struct {
	seed  maphash.Seed
	parts [partitions][][]uint64
}

func (d *duplicates) add(reference string) {
	hash := maphash.String(d.seed, reference)
	part := &d.parts[hash%partitions]
	if n := len(*part); n == 0 || len((*part)[n-1]) == block {
		*part = append(*part, make([]uint64, 0, block))
	}
	last := len(*part) - 1
	(*part)[last] = append((*part)[last], hash)
}

// candidates are hashes that more than one reference has.
func (d *duplicates) candidates() map[uint64]struct{} {
	found := map[uint64]struct{}{}
	var sorted []uint64
	for i := range d.parts {
		sorted = sorted[:0]
		for _, hashes := range d.parts[i] {
			sorted = append(sorted, hashes...)
		}
		d.parts[i] = nil
		slices.Sort(sorted)
		for i := 1; i < len(sorted) && len(found) < maxCandidates; i++ {
			if sorted[i] == sorted[i-1] {
				found[sorted[i]] = struct{}{}
			}
		}
	}
	return found
}

// find reads the file again where there are candidates, because two references may share a hash.
func (d *duplicates) find(s *Source, wrong func(*Mistake)) error {
	candidates := d.candidates()
	if len(candidates) == 0 {
		return nil
	}
	rows, err := s.Rows()
	if err != nil {
		return err
	}
	first := map[string]int{}
	for {
		var row Row
		err := rows.Next(&row)
		_, bad := errors.AsType[*Mistake](err)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errTooLong):
			return nil
		case bad:
			continue
		case err != nil:
			return err
		}
		if _, candidate := candidates[maphash.String(d.seed, row.Reference())]; !candidate || row.Reference() == "" {
			continue
		}
		if line, before := first[row.Reference()]; before {
			wrong(&Mistake{row.places[reference], fmt.Sprintf("reference %q is in line %d already", row.Reference(), line)})
		} else {
			first[row.Reference()] = row.Line
		}
	}
}
