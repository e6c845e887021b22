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
	// next has for each context the number of the string that came in it last, which is likely to come again: to compare
	// a text with it takes a tenth of the time of finding its number. Without it, encoding an idempotency key takes twice
	// the time. It is nil until there is a string.
	next []uint16
	// candidates are strings that are not in the dictionary: 24 bits of the hash, and in the low byte how often they were
	// seen. The hash selects a pair of places, so that two strings that are seen in turn do not displace each other.
	candidates [][2]uint32
	counted    int // strings since candidates had its present size
}

const (
	// timesSeen is how often a string is seen before it is learned. One transfer has its reference in the transfer, in its
	// response and in each of its events, which must not suffice.
	timesSeen = 32
	// fewestPairs and candidatePairs are sizes of candidates. It is doubled, and the counts forgotten, when countedPerPair
	// times as many strings were counted, since most worlds are small. A transfer brings some ten strings that never come
	// again, so that in the end a candidate has the time of several hundred transfers.
	fewestPairs, candidatePairs = 64, 2048
	countedPerPair              = 16
	// maxEntries and maxEntryBytes bound the dictionary to 8 MiB and what the map takes.
	maxEntries    = 1 << 16
	maxEntryBytes = 128
)

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{seed: maphash.MakeSeed(), numbers: map[string]uint32{}}
}

// A context is the last numbers of a record, of the latest one the most bits.
type context uint32

// contexts is 8 to the power of 4, so that the last four numbers count. Dictionary.next takes 8 KiB then.
const contexts = 4096

// after returns the context after one more number.
func (c context) after(number uint32) context { return (c<<3 ^ context(number)) % contexts }

// likely returns the string that is likely to follow in a context; empty: none is.
func (d *Dictionary) likely(in context) (text string, number uint32) {
	if len(d.strings) == 0 {
		return "", 0
	}
	number = uint32(d.next[in])
	return d.strings[number], number
}

// find returns the number of a string, if the dictionary has it.
func (d *Dictionary) find(text string, in context) (number uint32, ok bool) {
	if likely, number := d.likely(in); likely == text {
		return number, true
	}
	if len(text) > maxEntryBytes {
		return 0, false
	}
	if number, ok = d.numbers[text]; ok {
		d.next[in] = uint16(number)
	}
	return number, ok
}

// learn counts a string that the dictionary does not have, and adds it when it has been seen often enough.
func (d *Dictionary) learn(text string) {
	if len(text) > maxEntryBytes || len(d.strings) == maxEntries {
		return
	}
	if size := len(d.candidates); size < candidatePairs && d.counted == size*countedPerPair {
		d.candidates, d.counted = make([][2]uint32, max(2*size, fewestPairs)), 0
	}
	d.counted++
	hash := maphash.String(d.seed, text)
	pair, mark := &d.candidates[hash%uint64(len(d.candidates))], uint32(hash>>32)&^0xff
	const count = 0xff
	place, other := &pair[0], &pair[1]
	if *place&^count != mark && (*other&^count == mark || *other&count < *place&count) {
		place, other = other, place
	}
	if *place&^count != mark { // this string takes the place of the one that was seen less often
		*place = mark
		if *other&count > 0 {
			*other--
		}
	}
	if *place++; *place&count < timesSeen {
		return
	}
	*place = 0
	if d.next == nil {
		d.next = make([]uint16, contexts)
	}
	known := strings.Clone(text)
	d.numbers[known] = uint32(len(d.strings))
	d.strings = append(d.strings, known)
}
