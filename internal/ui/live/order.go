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
	return cmp.Or(cmp.Compare(x.number, y.number), strings.Compare(x.text, y.text), x.since.Compare(y.since),
		strings.Compare(x.row.ID, y.row.ID))
}

// key sets by what an entry is sorted: by its group, or by the column that the user has chosen. Rows that show nothing
// in that come last.
func (b *board) key(e *entry) {
	e.number, e.text, e.since = float64(e.row.Group), "", e.row.Since
	switch by := b.by; {
	case by == nil:
	case by.Number != nil:
		number, ok := by.Number(e.row, b.sorted)
		switch {
		case !ok:
			number = math.Inf(1)
		case !by.LeastFirst:
			number = -number
		}
		e.number = number
	default:
		e.number, e.text = 0, e.search.column(slices.IndexFunc(b.columns, func(c Column) bool { return c.is(by) }))
		if e.text == "" {
			e.number = 1
		}
	}
}

// An entry is a row on the board.
type entry struct {
	row     *Row // never changed, but replaced
	search  searchText
	number  float64   // by which it is sorted
	text    string    // and then by this
	since   time.Time // and then by this
	index   int       // among the shown entries; -1: it is not shown
	changed time.Time // when its status changed last while the view was open
	marked  bool
	matches bool // the filter and the group
	touched bool // its place has to be found anew
	removed bool
}

// A board has the rows in their order. Only the loop of the program uses it. Rows are put one by one and take their
// places together in reorder, so that a frame costs little however many rows there are.
type board struct {
	columns []Column
	by      *Column   // that the user has chosen to sort by; nil: by group
	sorted  time.Time // when that was chosen

	byID    map[string]*entry
	all     []*entry // in order
	shown   []*entry // those that the filter and the group leave, in order
	touched []*entry
	groups  []int // how many rows are in each
	marked  int

	filter filter
	group  int // that is shown; allGroups: all
}

// allGroups is the group of all rows.
const allGroups = -1

func newBoard(config *Config) *board {
	return &board{
		columns: config.Columns, byID: map[string]*entry{}, groups: make([]int, len(config.Groups)), group: allGroups,
	}
}

// put adds a row or replaces the one with its ID.
func (b *board) put(row Row) *entry {
	row.Group = max(min(row.Group, len(b.groups)-1), 0)
	e := b.byID[row.ID]
	if e == nil {
		e = &entry{index: -1}
		b.byID[row.ID] = e
	} else {
		b.groups[e.row.Group]--
	}
	e.row, e.search = &row, newSearchText(b.columns, &row)
	b.groups[row.Group]++
	b.touch(e)
	return e
}

func (b *board) remove(id string) {
	if e := b.byID[id]; e != nil {
		b.groups[e.row.Group]--
		b.mark(e, false)
		delete(b.byID, id)
		e.removed = true
		b.touch(e)
	}
}

func (b *board) mark(e *entry, marked bool) {
	if e.marked != marked {
		b.marked += map[bool]int{true: 1, false: -1}[marked]
	}
	e.marked = marked
}

// touch has reorder find the entry's place anew.
func (b *board) touch(e *entry) {
	if !e.touched {
		e.touched = true
		b.touched = append(b.touched, e)
	}
}

// reorder gives the entries that have changed their places, except keep, which stays where it is for now; nil: all.
func (b *board) reorder(keep *entry, now time.Time) {
	if keep != nil && keep.touched && keep.index >= 0 && !keep.removed {
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
		e.touched, e.index = false, -1
		if !e.removed {
			b.key(e)
			b.match(e, now)
			added = append(added, e)
		}
	}
	slices.SortFunc(added, compare)
	b.merge(added)
	clear(b.touched)
	b.touched = b.touched[:0]
	b.collect()
}

// merge adds entries that are in order to all.
func (b *board) merge(added []*entry) {
	old, left := len(b.all), len(added)
	b.all = append(b.all, added...)
	for at := len(b.all) - 1; left > 0; at-- {
		if old > 0 && compare(b.all[old-1], added[left-1]) > 0 {
			old--
			b.all[at] = b.all[old]
			continue
		}
		left--
		b.all[at] = added[left]
	}
}

// sort gives the entries another order.
func (b *board) sort(by *Column, now time.Time) {
	b.reorder(nil, now)
	b.by, b.sorted = by, now
	for _, e := range b.all {
		b.key(e)
	}
	slices.SortFunc(b.all, compare)
	b.collect()
}

// search finds the entries to show anew, after the filter or the group has changed or time has passed.
func (b *board) search(now time.Time) {
	b.reorder(nil, now)
	for _, e := range b.all {
		b.match(e, now)
	}
	b.collect()
}

// match compares an entry with the filter and the group.
func (b *board) match(e *entry, now time.Time) {
	e.matches = (b.group == allGroups || e.row.Group == b.group) && b.filter.matches(e, now)
}

// collect takes those entries that are shown from all, in their order.
func (b *board) collect() {
	b.shown = b.shown[:0]
	for _, e := range b.all {
		if e.index = -1; e.matches {
			e.index = len(b.shown)
			b.shown = append(b.shown, e)
		}
	}
}
