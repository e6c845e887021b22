package credential

import (
	"cmp"
	"fmt"
	"slices"
)

// maxFile bounds the file, in bytes, for reading and for writing.
const maxFile = 1 << 20

// document is the file: its logins in the order of their keys, each key once.
type document struct {
	Version int     `json:"version"`
	Logins  []entry `json:"logins"`
}

type entry struct {
	Profile string `json:"profile"`
	fields
}

func compareEntry(e entry, k Key) int {
	return cmp.Or(cmp.Compare(e.Profile, k.Profile), cmp.Compare(e.Origin, k.Origin))
}

// find returns where the login of k is, or where it belongs.
func (d *document) find(k Key) (int, bool) {
	return slices.BinarySearchFunc(d.Logins, k, compareEntry)
}

func (d *document) encode() ([]byte, error) {
	data, err := marshal(d, "  ")
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	if len(data) > maxFile {
		return nil, &kinded{kind: ErrTooLarge, cause: fmt.Errorf("the file would take %d bytes of at most %d", len(data), maxFile)}
	}
	return data, nil
}

// decodeDocument reads what encode wrote; all its errors are of kind ErrCorrupt.
func decodeDocument(data []byte) (*document, error) {
	d := new(document)
	if err := unmarshal(data, d); err != nil {
		return nil, err
	}
	for i := 1; i < len(d.Logins); i++ {
		next := d.Logins[i]
		// Out of order, a search would miss a login that is there.
		if compareEntry(d.Logins[i-1], Key{Profile: next.Profile, Origin: next.Origin}) >= 0 {
			return nil, corrupt("its logins are not in order or not unique (number %d)", i+1)
		}
	}
	return d, nil
}
