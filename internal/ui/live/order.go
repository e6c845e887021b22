package live

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// The rows are in groups, in the order of Config.Groups. Within a group, the oldest status comes first.

// compare orders entries by group, then by the time of their status. A changed row moves only in reorder.
func compare(x, y *entry) int {
	return cmp.Or(cmp.Compare(x.group, y.group), x.since.Compare(y.since), strings.Compare(x.row.ID, y.row.ID))
}

// An entry is a row on the board.
type entry struct {
	row     *Row // never changed, but replaced
	texts   searchText
	group   int       // the first sort key
	since   time.Time // the second sort key
	changed time.Time // when its status last changed in the view
	shown   bool      // it matches the filter and the group
	placed  bool      // it is among all
	touched bool      // its place must be found again
}

// A board has the rows in order. Only the loop of the program uses it. Rows are put one by one. In each frame, reorder
// places a limited number of them, so a frame stays cheap.
type board struct {
	columns []Column
	byID    map[string]*entry
	all     []*entry // those with a place, in order
	shown   []*entry // those that match the filter and the group, in order
	touched []*entry // in the order of their placement
	groups  []int    // how many rows are in each

	filter filter
	group  int // the shown group, or allGroups
	rare   int // the group whose rows come first; -1 means none
}

const allGroups = -1

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

// touch makes reorder find the entry's place again.
func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// mostPlaced is how many entries are placed in one frame.
const mostPlaced = 3_000

// reorder places changed entries, except keep, which may be nil. Some may be left to the next frames.
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
		if e.group, e.since = e.row.Group, e.row.Since; e.group == b.rare {
			e.group = -1
		}
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
	end := len(b.all) // of the part that has not moved yet
	b.all = append(b.all, added...)
	for i, e := range slices.Backward(added) {
		at := find(b.all[:end], e)
		copy(b.all[at+i+1:], b.all[at:end])
		b.all[at+i], end = e, at
	}
}

// find returns the index of an entry in sorted entries, or where it would be.
func find(entries []*entry, e *entry) int {
	at, _ := slices.BinarySearchFunc(entries, e, compare)
	return at
}

// renew makes reorder place all entries again, after a change of the filter or the group. The selected one, which may
// be nil, is placed first.
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

// find returns the index of an entry among the shown ones, or -1.
func (b *board) find(e *entry) int {
	if e == nil {
		return -1
	}
	if i := find(b.shown, e); i < len(b.shown) && b.shown[i] == e {
		return i
	}
	return -1
}
