package compact

import (
	"hash/maphash"
	"strings"
)

// A Dictionary numbers the strings that records often have, such as currencies, routes, identifiers of accounts and the
// parts of JSON that are the same in every response. The records of several codecs may share one. It is changed by
// Codec.Append alone.
type Dictionary struct {
	seed    maphash.Seed
	numbers map[string]uint32
	strings []string
	// candidates counts how often strings were seen that are not in the dictionary, in the low byte, next to 24 bits of
	// the string's hash. The place is taken from the hash, and a string takes the place of another one.
	candidates []uint32
}

const (
	// timesSeen is how often a string is seen before it is learned. One transfer has its reference in the transfer, in its
	// response and in each of its events, which must not suffice.
	timesSeen = 32
	// maxCandidates is the number of places, a power of two. A transfer brings some ten strings that never come again, so
	// that a candidate has the time of several hundred transfers.
	maxCandidates = 4096
	// maxEntries and maxEntryBytes bound the dictionary to 8 MiB and what the map takes.
	maxEntries    = 1 << 16
	maxEntryBytes = 128
)

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{seed: maphash.MakeSeed(), numbers: map[string]uint32{}}
}

// number returns the number of a string that the dictionary has.
func (d *Dictionary) number(text string) (number uint32, ok bool) {
	number, ok = d.numbers[text]
	return number, ok
}

// learn counts a string that the dictionary does not have, and adds it when it has been seen often enough.
func (d *Dictionary) learn(text string) {
	if len(text) > maxEntryBytes || len(d.strings) == maxEntries {
		return
	}
	if d.candidates == nil {
		d.candidates = make([]uint32, maxCandidates)
	}
	hash := maphash.String(d.seed, text)
	place, mark := &d.candidates[hash%maxCandidates], uint32(hash>>32)&^0xff
	if *place&^0xff != mark {
		*place = mark
	}
	if *place++; *place-mark < timesSeen {
		return
	}
	*place = 0
	known := strings.Clone(text)
	d.numbers[known] = uint32(len(d.strings))
	d.strings = append(d.strings, known)
}
