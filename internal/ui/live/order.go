package live

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// The order of the rows: they are in groups, in the order of Config.Groups. Within a group, those that have had their
// status longest come first. S chooses another order.

// compare orders entries by what key has set, then by the time of their status.
func compare(x, y *entry) int {
	if c := cmp.Compare(x.number, y.number); c != 0 {
		return c
	}
	if c := strings.Compare(x.text, y.text); c != 0 {
		return c
	}
	return cmp.Or(x.since.Compare(y.since), strings.Compare(x.row.ID, y.row.ID))
}

// key sets by what an entry is sorted: by its group, or by the column that the user has chosen. Rows that show nothing
// in that come last.
func (b *board) key(e *entry) {
	e.number, e.text, e.since = float64(e.row.Group), "", e.row.Since
	switch {
	case b.by == byGroup:
	case b.columns[b.by].Number != nil:
		number, ok := b.columns[b.by].Number(e.row)
		if e.number = number; !ok {
			e.number = math.Inf(1)
		}
	default:
		e.number, e.text = 0, e.texts.column(b.by)
		if e.text == "" {
			e.number = 1
		}
	}
}

// An entry is a row on the board.
type entry struct {
	row     *Row // never changed, but replaced
	texts   searchText
	number  float64   // by which it is sorted
	text    string    // and then by this
	since   time.Time // and then by this
	changed time.Time // when its status changed last while the view was open
	marked  bool
	shown   bool // the filter and the group leave it
	placed  bool // it is among all
	touched bool // its place has to be found anew
}

// A board has the rows in their order. Only the loop of the program uses it. Rows are put one by one and take their
// places together in reorder, a part of them in each frame, so that a frame costs little however many rows there are.
type board struct {
	columns []Column
	by      int // index of the column that the user has chosen to sort by, or byGroup

	byID    map[string]*entry
	all     []*entry // that have a place, in order
	shown   []*entry // those that the filter and the group leave, in order
	touched []*entry // in the order in which they get their places
	marked  []*entry
	groups  []int // how many rows are in each

	filter filter
	group  int // that is shown; allGroups: all
}

const (
	byGroup   = -1
	allGroups = -1
)

func newBoard(config *Config) *board {
	return &board{
		columns: config.Columns, byID: map[string]*entry{}, groups: make([]int, len(config.Groups)),
		by: byGroup, group: allGroups,
	}
}

// put adds a row or replaces the one with its ID.
func (b *board) put(row Row) *entry {
	row.Group = max(min(row.Group, len(b.groups)-1), 0)
	e := b.byID[row.ID]
	if e == nil {
		e = &entry{}
		b.byID[row.ID] = e
	} else {
		b.groups[e.row.Group]--
	}
	e.row, e.texts = &row, newSearchText(b.columns, &row)
	b.groups[row.Group]++
	b.touch(e)
	return e
}

// toggle marks an entry, or unmarks it.
func (b *board) toggle(e *entry) {
	if e.marked = !e.marked; e.marked {
		b.marked = append(b.marked, e)
	} else {
		b.marked = slices.DeleteFunc(b.marked, func(other *entry) bool { return other == e })
	}
}

// touch has reorder find the entry's place anew.
func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// mostPlaced is how many entries get their places in one frame.
const mostPlaced = 3_000

// reorder gives the entries that have changed their places, except keep, which stays where it is for now; nil: all. Some
// of them may be left to the next frames.
func (b *board) reorder(keep *entry) {
	if keep != nil && keep.touched && keep.placed {
		b.touched = slices.DeleteFunc(b.touched, func(e *entry) bool { return e == keep })
		keep.touched = false
		defer b.touch(keep)
	}
	moving := b.touched[:min(len(b.touched), mostPlaced)]
	if len(moving) == 0 {
		return
	}
	for _, e := range moving {
		if e.placed {
			i := find(b.all, e)
			b.all = slices.Delete(b.all, i, i+1)
		}
		e.touched, e.placed = false, true
		e.shown = (b.group == allGroups || e.row.Group == b.group) && b.filter.matches(e)
		b.key(e)
	}
	slices.SortFunc(moving, compare)
	b.merge(moving)
	b.touched = slices.Delete(b.touched, 0, len(moving))
	b.shown = b.shown[:0]
	for _, e := range b.all {
		if e.shown {
			b.shown = append(b.shown, e)
		}
	}
}

// merge adds entries that are in order to all.
func (b *board) merge(added []*entry) {
	end := len(b.all) // of what has not moved yet
	b.all = append(b.all, added...)
	for i, e := range slices.Backward(added) {
		at := find(b.all[:end], e)
		copy(b.all[at+i+1:], b.all[at:end])
		b.all[at+i], end = e, at
	}
}

// find returns the index of an entry in entries that are in order, or that at which it would be.
func find(entries []*entry, e *entry) int {
	at, _ := slices.BinarySearchFunc(entries, e, compare)
	return at
}

// renew has reorder give all entries their places anew, since the order, the filter or the group is another one. The
// first to get its place is the selected one, which may be nil.
func (b *board) renew(selected *entry) {
	for _, e := range b.all {
		e.placed = false
		b.touch(e)
	}
	b.all, b.shown = b.all[:0], b.shown[:0]
	if at := slices.Index(b.touched, selected); at > 0 {
		b.touched[0], b.touched[at] = selected, b.touched[0]
	}
	b.reorder(nil)
}

// find returns the index of an entry among those that are shown; -1 if it is not.
func (b *board) find(e *entry) int {
	if e == nil {
		return -1
	}
	if i := find(b.shown, e); i < len(b.shown) && b.shown[i] == e {
		return i
	}
	return -1
}
