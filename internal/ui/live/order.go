package live

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

// The order of the rows: they are in groups, in the order of Config.Groups. Within a group, those that have had their
// status longest come first. S chooses another order.

// compare orders rows by a column; nil: by group.
func compare(by *Column) func(x, y *Row) int {
	return func(x, y *Row) int {
		if by != nil {
			return cmp.Or(by.Compare(x, y), strings.Compare(x.ID, y.ID))
		}
		return cmp.Or(cmp.Compare(x.Group, y.Group), x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	}
}

// An entry is a row on the board.
type entry struct {
	row *Row // never changed, but replaced
	// placed is the row by which the entry has its place in the order. It is an earlier one while the entry keeps its
	// place, and nil before the entry has one.
	placed  *Row
	search  searchText
	changed time.Time // when its status changed last while the view was open
	marked  bool
	matched int // the search in which the entry was compared with the filter last
	shown   bool
	touched bool // its place has to be found anew
	removed bool
}

// A board has the rows in their order. Only the loop of the program uses it. Rows are put one by one and take their
// places together in reorder, so that a frame costs little however many rows there are.
type board struct {
	columns []Column
	compare func(x, y *Row) int

	byID    map[string]*entry
	all     []*entry // in order
	shown   []*entry // those that the filter and the group leave, in order
	touched []*entry
	groups  []int // how many rows are in each

	filter filter
	group  int // that is shown; allGroups: all
	marked int

	search     int  // the number of the present search
	unfinished bool // some entries have not been compared with the filter yet
}

// allGroups is the group of all rows.
const allGroups = -1

func newBoard(config *Config) *board {
	return &board{
		columns: config.Columns, compare: compare(nil), byID: map[string]*entry{},
		groups: make([]int, len(config.Groups)), group: allGroups,
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
		b.count(e.row, -1)
	}
	e.row = &row
	e.search = newSearchText(b.columns, &row)
	b.count(e.row, 1)
	b.touch(e)
	return e
}

func (b *board) remove(id string) {
	e := b.byID[id]
	if e == nil {
		return
	}
	b.count(e.row, -1)
	b.mark(e, false)
	delete(b.byID, id)
	e.removed = true
	b.touch(e)
}

func (b *board) mark(e *entry, marked bool) {
	switch {
	case marked && !e.marked:
		b.marked++
	case !marked && e.marked:
		b.marked--
	}
	e.marked = marked
}

func (b *board) count(row *Row, n int) {
	if len(b.groups) > 0 {
		b.groups[row.Group] += n
	}
}

// touch has reorder find the entry's place anew.
func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// reorder gives the entries that have changed their places, except keep, which stays where it is; nil: all.
func (b *board) reorder(keep *entry, now time.Time) {
	if keep != nil && keep.touched && keep.placed != nil && !keep.removed {
		b.touched = slices.DeleteFunc(b.touched, func(e *entry) bool { return e == keep })
		keep.touched = false
		defer b.touch(keep)
	}
	if len(b.touched) == 0 {
		return
	}
	b.all = slices.DeleteFunc(b.all, func(e *entry) bool { return e.touched })
	added := b.touched[:0]
	for _, e := range b.touched {
		e.touched = false
		if !e.removed {
			e.placed = e.row
			b.match(e, now)
			added = append(added, e)
		}
	}
	slices.SortFunc(added, func(x, y *entry) int { return b.compare(x.placed, y.placed) })
	b.all = merge(b.all, added, b.compare)
	clear(b.touched)
	b.touched = b.touched[:0]
	b.collect(now)
}

// merge adds entries to others. Both are in order.
func merge(all, added []*entry, compare func(x, y *Row) int) []*entry {
	end := len(all) // of what has not moved yet
	all = append(all, added...)
	for i, e := range slices.Backward(added) {
		position := find(all[:end], e, compare)
		copy(all[position+i+1:], all[position:end])
		all[position+i] = e
		end = position
	}
	return all
}

// find returns the index of an entry in entries that are in order, or that at which it would be.
func find(entries []*entry, e *entry, compare func(x, y *Row) int) int {
	return sort.Search(len(entries), func(i int) bool { return compare(entries[i].placed, e.placed) >= 0 })
}

// sort gives the entries another order.
func (b *board) sort(by *Column, now time.Time) {
	b.reorder(nil, now)
	b.compare = compare(by)
	slices.SortFunc(b.all, func(x, y *entry) int { return b.compare(x.placed, y.placed) })
	b.collect(now)
}

// startSearch finds the entries to show anew, after the filter or the group has changed or time has passed. It compares
// first at once, which may be nil.
func (b *board) startSearch(first *entry, now time.Time) {
	b.search++
	if first != nil {
		b.match(first, now)
	}
	b.reorder(nil, now)
	b.collect(now)
}

// match compares an entry with the filter and the group.
func (b *board) match(e *entry, now time.Time) {
	e.matched = b.search
	e.shown = (b.group == allGroups || e.row.Group == b.group) && b.filter.matches(e, now)
}

// mostMatched is how many entries are compared with the filter in one frame.
const mostMatched = 10_000

// collect takes those entries that are shown from all, in their order. Some of them may be left to the next frames.
func (b *board) collect(now time.Time) {
	b.shown, b.unfinished = b.shown[:0], false
	left := mostMatched
	for _, e := range b.all {
		if e.matched != b.search {
			if left--; left < 0 {
				b.unfinished = true
				continue
			}
			b.match(e, now)
		}
		if e.shown {
			b.shown = append(b.shown, e)
		}
	}
}

// find returns the index of an entry among those that are shown; -1 if it is not.
func (b *board) find(e *entry) int {
	if e == nil || !e.shown || e.removed {
		return -1
	}
	if i := find(b.shown, e, b.compare); i < len(b.shown) && b.shown[i] == e {
		return i
	}
	return -1
}
