package live

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

// An entry is a row on the board.
type entry struct {
	row *Row // never changed, but replaced
	// placed is the row by which the entry has its place in the order. It is an earlier one while the entry keeps its
	// place, and nil before the entry has one.
	placed  *Row
	search  searchText
	changed time.Time // when its status changed last while the view was open
	marked  bool
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
}

// allGroups is the group of all rows.
const allGroups = -1

func newBoard(config *Config) *board {
	return &board{
		columns: config.Columns, compare: config.order(), byID: map[string]*entry{},
		groups: make([]int, len(config.Groups)), group: allGroups,
	}
}

// order is the order of the rows if the user has not chosen another one.
func (c *Config) order() func(x, y *Row) int {
	return func(x, y *Row) int {
		return cmp.Or(cmp.Compare(x.Group, y.Group), c.Compare(x, y), strings.Compare(x.ID, y.ID))
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
		if row.Data == nil {
			row.Data = e.row.Data
		}
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
			e.placed, e.shown = e.row, b.shows(e, now)
			added = append(added, e)
		}
	}
	slices.SortFunc(added, func(x, y *entry) int { return b.compare(x.placed, y.placed) })
	b.all = merge(b.all, added, b.compare)
	clear(b.touched)
	b.touched = b.touched[:0]
	b.collectShown()
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

// shows reports whether the filter and the group leave an entry.
func (b *board) shows(e *entry, now time.Time) bool {
	return (b.group == allGroups || e.row.Group == b.group) && b.filter.matches(e, now)
}

// search finds the entries to show anew, after the filter or the group has changed or time has passed.
func (b *board) search(keep *entry, now time.Time) {
	b.reorder(keep, now)
	for _, e := range b.all {
		e.shown = e == keep || b.shows(e, now)
	}
	b.collectShown()
}

// collectShown takes those entries that are shown from all, in their order.
func (b *board) collectShown() {
	b.shown = b.shown[:0]
	for _, e := range b.all {
		if e.shown {
			b.shown = append(b.shown, e)
		}
	}
}

// A sorting is another order of the rows, as they were when it began. It does not look at the board, so that it can run
// beside the loop.
type sorting struct {
	compare func(x, y *Row) int
	placed  []placedEntry
}

type placedEntry struct {
	entry *entry
	row   *Row // the row that the entry had its place by
}

// startSorting begins to change the order.
func (b *board) startSorting(compare func(x, y *Row) int, now time.Time) sorting {
	b.reorder(nil, now)
	s := sorting{compare: compare, placed: make([]placedEntry, len(b.all))}
	for i, e := range b.all {
		s.placed[i] = placedEntry{e, e.placed}
	}
	return s
}

func (s sorting) run() {
	slices.SortFunc(s.placed, func(x, y placedEntry) int { return s.compare(x.row, y.row) })
}

// setOrder takes over an order that has been sorted. Entries that have come or changed since it began get their places
// in it.
func (b *board) setOrder(s sorting, now time.Time) {
	for _, e := range b.all {
		b.touch(e)
	}
	b.all, b.compare = b.all[:0], s.compare
	for _, p := range s.placed {
		if e := p.entry; e.placed == p.row && e.row == p.row && !e.removed {
			e.touched = false
			b.all = append(b.all, e)
		}
	}
	b.touched = slices.DeleteFunc(b.touched, func(e *entry) bool { return !e.touched })
	b.reorder(nil, now)
	b.collectShown()
}

// find returns the index of an entry among those that are shown; -1 if it is not.
func (b *board) find(e *entry) int {
	if e == nil || !e.shown || e.removed {
		return -1
	}
	return find(b.shown, e, b.compare)
}
