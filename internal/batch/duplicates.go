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

// duplicates finds references that occur twice. Each costs eight bytes.
type duplicates struct {
	seed   maphash.Seed
	hashes []uint64
}

func (d *duplicates) add(reference string) {
	d.hashes = append(d.hashes, maphash.String(d.seed, reference))
}

// find reads the file again where there are candidates, because two references may share a hash.
func (d *duplicates) find(s *Source, wrong func(*Mistake)) error {
	slices.Sort(d.hashes)
	candidates := map[uint64]struct{}{}
	for i := 1; i < len(d.hashes) && len(candidates) < maxCandidates; i++ {
		if d.hashes[i] == d.hashes[i-1] {
			candidates[d.hashes[i]] = struct{}{}
		}
	}
	d.hashes = nil
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
