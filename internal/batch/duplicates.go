package batch

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
)

// maxCandidates is the most references that are looked into for being there twice.
const maxCandidates = 1000

// duplicates finds references that occur twice, by hashes of them that are sorted.
type duplicates struct {
	seed   maphash.Seed
	hashes runs
}

func newDuplicates() *duplicates { return &duplicates{seed: maphash.MakeSeed()} }

func (d *duplicates) add(reference string) { d.hashes.add(maphash.String(d.seed, reference)) }

// close gives up what was needed to find them.
func (d *duplicates) close() { d.hashes.close() }

// candidates are hashes that more than one reference has.
func (d *duplicates) candidates() (map[uint64]struct{}, error) {
	found := map[uint64]struct{}{}
	var last uint64
	first := true
	err := d.hashes.each(func(hash uint64) bool {
		if hash == last && !first {
			found[hash] = struct{}{}
		}
		last, first = hash, false
		return len(found) < maxCandidates
	})
	d.close()
	return found, err
}

// find reads the file again where there are candidates, because two references may share a hash.
func (d *duplicates) find(s *Source, wrong func(*Mistake)) error {
	candidates, err := d.candidates()
	if err != nil {
		return fmt.Errorf("the references of %s cannot be compared: %w", s.Name, err)
	}
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
