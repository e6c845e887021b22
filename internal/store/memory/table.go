package memory

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory/compact"
)

// A table holds records, each in a slot, and finds them by identifier and by the values of indexed columns. A record
// that is settled is packed when the Update that put it commits: it is encoded, and decoded for each reader. The others
// are kept as they are. So most records of a large world have no pointers, and the garbage collector does not look at
// them.
type table[T any, P store.Record[T]] struct {
	*world
	slots      *slots
	live       map[uint32]*T // by slot, the records that are not packed, or that the present Update has changed
	dictionary *compact.Dictionary
	codec      *compact.Codec[T] // nil until the first record is packed
	room       []byte            // for an encoded record

	byID    index
	all     *idSet // nil: they are sorted for each list
	columns []string
	hashes  parts[[maxColumns]uint32] // by slot: of the values of columns; zero: the value is empty
	indexes []index                   // for each column

	changes []change[T] // of the present Update
}

// maxColumns is the most indexed columns of a table.
const maxColumns = 5

// stored is what a slot has.
type stored[T any] struct {
	there  bool
	live   *T // nil: it is packed
	hashes [maxColumns]uint32
}

// A change is what a slot had before a write.
type change[T any] struct {
	slot   uint32
	id     string
	before stored[T]
	delete bool // the write deleted it; the slot is not used again before the Update ends
}

// settled is implemented by records that seldom change any more in some of their states.
type settled interface{ Settled() bool }

// newTable makes a table that is listed, and by the values in columns.
func newTable[T any, P store.Record[T]](w *world, dictionary *compact.Dictionary, columns ...string) *table[T, P] {
	t := newLookup[T, P](w, dictionary)
	t.all, t.columns = new(idSet), columns
	for range columns {
		t.indexes = append(t.indexes, newIndex(t))
	}
	return t
}

// newLookup makes a table that is hardly ever listed.
func newLookup[T any, P store.Record[T]](w *world, dictionary *compact.Dictionary) *table[T, P] {
	t := &table[T, P]{world: w, slots: newSlots(), live: map[uint32]*T{}, dictionary: dictionary}
	t.byID = newIndex(t)
	return t
}

// compare implements identified.
func (t *table[T, P]) compare(slot uint32, id string) int {
	if record := t.live[slot]; record != nil {
		return cmp.Compare(P(record).RecordID(), id)
	}
	own, _ := unpack(t.slots.get(slot))
	switch { // which copies nothing
	case string(own) < id:
		return -1
	case string(own) == id:
		return 0
	}
	return 1
}

// id returns the identifier of the record in a slot.
func (t *table[T, P]) id(slot uint32) string {
	if record := t.live[slot]; record != nil {
		return P(record).RecordID()
	}
	id, _ := unpack(t.slots.get(slot))
	return string(id)
}

// appendID appends the length and the identifier of a record, with which its packed form begins; the encoded record
// follows.
func appendID(b []byte, id string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(id))), id...)
}

// unpack divides a packed record.
func unpack(packed []byte) (id, encoded []byte) {
	size, n := binary.Uvarint(packed)
	return packed[n : n+int(size)], packed[n+int(size):]
}

// record returns the record in a slot.
func (t *table[T, P]) record(slot uint32) (*T, error) {
	if record := t.live[slot]; record != nil {
		return record, nil
	}
	id, encoded := unpack(t.slots.get(slot))
	return t.codec.Decode(encoded, string(id))
}

// find returns the slot of the record with an identifier.
func (t *table[T, P]) find(id string) (slot uint32, found bool) { return t.byID.find(t.hash(id), id) }

// Get implements store.Table.
func (t *table[T, P]) Get(id string) (*T, error) {
	slot, found := t.find(id)
	if !found {
		return nil, store.ErrNotFound
	}
	return t.record(slot)
}

// Put implements store.Table.
func (t *table[T, P]) Put(record *T) error {
	if !t.writing {
		return errReadOnly
	}
	id := P(record).RecordID()
	slot, found := t.find(id)
	if !found {
		slot = t.slots.take()
	}
	now := stored[T]{there: true, live: record}
	for i, column := range t.columns {
		now.hashes[i] = t.hashOfValue(P(record).Indexed(column))
	}
	t.write(change[T]{slot: slot, id: id, before: t.stored(slot, found)}, now)
	return nil
}

// Delete implements store.Table.
func (t *table[T, P]) Delete(id string) error {
	slot, found := t.find(id)
	if !found {
		return store.ErrNotFound
	}
	if !t.writing {
		return errReadOnly
	}
	t.write(change[T]{slot: slot, id: id, before: t.stored(slot, true), delete: true}, stored[T]{})
	return nil
}

// hashOfValue is the hash of a column's value; zero only if it is empty.
func (t *table[T, P]) hashOfValue(value string) uint32 {
	if value == "" {
		return 0
	}
	return max(t.hash(value), 1)
}

func (t *table[T, P]) write(c change[T], now stored[T]) {
	t.changes = append(t.changes, c)
	t.replace(c.slot, c.id, c.before, now)
}

// stored returns what a slot has.
func (t *table[T, P]) stored(slot uint32, there bool) (s stored[T]) {
	if s.there = there; there {
		s.live = t.live[slot]
		if len(t.columns) > 0 {
			s.hashes = *t.hashes.at(slot)
		}
	}
	return s
}

// replace replaces what a slot has. A packed record stays where it is.
func (t *table[T, P]) replace(slot uint32, id string, old, now stored[T]) {
	if old.there != now.there {
		if now.there {
			t.byID.put(t.hash(id), slot, id)
		} else {
			t.byID.remove(t.hash(id), id)
		}
		if t.all != nil && now.there {
			t.all.put(t, slot, id)
		} else if t.all != nil {
			t.all.blocks.remove(t.all.find(t, id))
		}
	}
	for i := range t.columns {
		if old.hashes[i] == now.hashes[i] {
			continue
		}
		if old.hashes[i] != 0 {
			t.indexes[i].remove(old.hashes[i], id)
		}
		if now.hashes[i] != 0 {
			t.indexes[i].put(now.hashes[i], slot, id)
		}
	}
	if len(t.columns) > 0 {
		t.hashes.reach(slot)
		*t.hashes.at(slot) = now.hashes
	}
	if now.live == nil {
		delete(t.live, slot)
	} else {
		t.live[slot] = now.live
	}
}

// commit implements undoable.
func (t *table[T, P]) commit() {
	for _, c := range t.changes {
		if c.delete {
			t.slots.release(c.slot)
		} else if record := t.live[c.slot]; record != nil { // not deleted, and not packed for an earlier change
			t.slots.drop(c.slot)
			t.pack(c.slot, record)
		}
	}
	t.changes = reusable(t.changes)
}

// pack packs a record if it is settled and can be encoded.
func (t *table[T, P]) pack(slot uint32, record *T) {
	if may, ok := any(record).(settled); !ok || !may.Settled() {
		return
	}
	if t.codec == nil {
		t.codec = compact.NewCodec[T](t.dictionary)
	}
	id := P(record).RecordID()
	packed, ok := t.codec.Append(appendID(t.room[:0], id), id, record)
	if ok {
		t.slots.put(slot, packed)
		delete(t.live, slot)
	}
	t.room = reusable(packed)
}

// rollBack implements undoable.
func (t *table[T, P]) rollBack() {
	for _, c := range slices.Backward(t.changes) {
		t.replace(c.slot, c.id, t.stored(c.slot, !c.delete), c.before)
		if !c.before.there {
			t.slots.release(c.slot)
		}
	}
	t.changes = reusable(t.changes)
}

// List implements store.Table.
func (t *table[T, P]) List(q store.Query) (found []*T, err error) {
	found = []*T{}
	if q.Limit <= 0 {
		return found, nil
	}
	var hashes [maxColumns]uint32
	for i, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			hashes[i] = t.hashOfValue(value)
		}
	}
	slots := t.candidates(q)
	before := slots.end()
	if q.Before != "" {
		before = slots.find(t, q.Before)
	}
	slots.descend(before, func(slot uint32) (more bool) {
		for i, hash := range hashes[:len(t.columns)] {
			if hash != 0 && t.hashes.at(slot)[i] != hash {
				return true
			}
		}
		var record *T
		if record, err = t.record(slot); err != nil {
			return false
		}
		if matches(P(record), q) {
			found = append(found, record)
		}
		return len(found) < q.Limit
	})
	return found, err
}

// least returns the record with the least identifier of those that have a value in an indexed column.
func (t *table[T, P]) least(column, value string) (least *T, err error) {
	slots := t.indexes[slices.Index(t.columns, column)].slots(t.hashOfValue(value))
	slots.ascend(func(slot uint32) (more bool) {
		var record *T
		if record, err = t.record(slot); err == nil && P(record).Indexed(column) == value {
			least = record
		}
		return err == nil && least == nil
	})
	if err == nil && least == nil {
		err = store.ErrNotFound
	}
	return least, err
}

// candidates are the records that a query selects from: those of the first column that it names, otherwise all.
func (t *table[T, P]) candidates(q store.Query) *idSet {
	for i, column := range t.columns {
		if value, ok := q.Where[column]; ok {
			return t.indexes[i].slots(t.hashOfValue(value))
		}
	}
	if t.all != nil {
		return t.all
	}
	all := new(idSet)
	t.byID.each(func(slot uint32) { all.put(t, slot, t.id(slot)) })
	return all
}

func matches[T any, P store.Record[T]](record P, q store.Query) bool {
	for column, value := range q.Where {
		if record.Indexed(column) != value {
			return false
		}
	}
	return true
}
