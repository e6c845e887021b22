package live

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// An entry is a row on the board.
type entry struct {
	row *Row // never changed, but replaced
	// placed is the row by which the entry has its place in the order. It is an earlier one while the entry keeps its
	// place.
	placed  *Row
	search  searchText
	changed time.Time // of the last news
	marked  bool
	shown   bool
	touched bool // its place has to be found anew
	sorted  bool // it has its place in a new order; only within setOrder
	removed bool
}

// A board has the rows in their order. Only the loop of the program uses it.
//
// Rows are put one by one and take their places together in reorder, so that a frame costs little however many there
// are.
type board struct {
	columns []Column
	compare func(x, y *Row) int
	most    int // rows; zero: no bound

	byID     map[string]*entry
	all      order
	shown    order // those that the filter and the group leave
	touched  []*entry
	statuses map[string]*statusCount
	groups   []int // how many rows are in each

	filter filter
	group  int // that is shown; allGroups: all
	marked int

	changes int // how often rows were put or removed
}

// A statusCount is how many rows have a status.
type statusCount struct {
	Status ui.Cell
	N      int
	group  int // of one of the rows
}

// allGroups is the group of all rows.
const allGroups = -1

func newBoard(config *Config) *board {
	return &board{
		columns: config.Columns, compare: defaultOrder(config), most: config.MostRows,
		byID: map[string]*entry{}, statuses: map[string]*statusCount{},
		groups: make([]int, len(config.Groups)), group: allGroups,
	}
}

// defaultOrder orders rows by group and then as the caller wants it, or the longest in their status first.
func defaultOrder(config *Config) func(x, y *Row) int {
	within := config.Compare
	if within == nil {
		within = func(x, y *Row) int { return x.Since.Compare(y.Since) }
	}
	if config.Log {
		return func(x, y *Row) int { return cmp.Or(within(x, y), strings.Compare(x.ID, y.ID)) }
	}
	return func(x, y *Row) int {
		return cmp.Or(cmp.Compare(x.Group, y.Group), within(x, y), strings.Compare(x.ID, y.ID))
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
	if e.marked != marked {
		e.marked = marked
		if marked {
			b.marked++
		} else {
			b.marked--
		}
	}
}

func (b *board) count(row *Row, n int) {
	b.changes++
	if len(b.groups) > 0 {
		b.groups[row.Group] += n
	}
	c := b.statuses[row.Status.Text]
	if c == nil {
		c = &statusCount{Status: row.Status}
		b.statuses[row.Status.Text] = c
	}
	c.group = row.Group
	if c.N += n; c.N == 0 {
		delete(b.statuses, row.Status.Text)
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
	if len(b.touched) == 0 {
		return
	}
	var dropped, droppedShown, added, addedShown []*entry
	rest := b.touched[:0]
	for _, e := range b.touched {
		if e == keep && !e.removed && e.placed != nil {
			rest = append(rest, e)
			continue
		}
		e.touched = false
		if e.placed != nil {
			dropped = append(dropped, e)
			if e.shown {
				droppedShown = append(droppedShown, e)
			}
		}
		if !e.removed {
			added = append(added, e)
		}
	}
	b.all.drop(dropped, b.compare)
	b.shown.drop(droppedShown, b.compare)
	for _, e := range added {
		e.placed = e.row
		if e.shown = b.shows(e, now); e.shown {
			addedShown = append(addedShown, e)
		}
	}
	b.all.insert(added, b.compare)
	b.shown.insert(addedShown, b.compare)
	clear(b.touched[len(rest):])
	b.touched = rest
	b.dropLast(keep)
}

// dropLast removes the last rows of a board that has too many.
func (b *board) dropLast(keep *entry) {
	if b.most == 0 || len(b.all) <= b.most {
		return
	}
	excess := slices.DeleteFunc(slices.Clone(b.all[b.most:]), func(e *entry) bool { return e == keep })
	if len(excess) == 0 {
		return
	}
	for _, e := range excess {
		b.remove(e.row.ID)
	}
	b.reorder(keep, time.Time{}) // adds nothing
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

// A sorting is another order of the rows, as they were when it began. It does not look at the board.
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

// run sorts. Rows are never changed, so that it may run while the board is used.
func (s sorting) run() {
	slices.SortFunc(s.placed, func(x, y placedEntry) int { return s.compare(x.row, y.row) })
}

// setOrder takes over an order that has been sorted. Entries that have come or changed since it began get their places
// in it.
func (b *board) setOrder(s sorting) {
	before := b.all
	b.all, b.compare = make(order, 0, len(before)), s.compare
	for _, p := range s.placed {
		if p.entry.placed == p.row && !p.entry.removed {
			p.entry.sorted = true
			b.all = append(b.all, p.entry)
		}
	}
	var others []*entry
	for _, e := range before {
		if !e.sorted {
			others = append(others, e)
		}
		e.sorted = false
	}
	b.all.insert(others, b.compare)
	b.collectShown()
}

// find returns the index of an entry among those that are shown; -1 if it is not.
func (b *board) find(e *entry) int {
	if e == nil || !e.shown || e.removed {
		return -1
	}
	return b.shown.find(e, b.compare)
}

// counts returns how many rows have each status, in the order of their groups, the most frequent first.
func (b *board) counts() []statusCount {
	counts := make([]statusCount, 0, len(b.statuses))
	for _, c := range slices.SortedFunc(maps.Values(b.statuses), func(x, y *statusCount) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(y.N, x.N), strings.Compare(x.Status.Text, y.Status.Text))
	}) {
		counts = append(counts, *c)
	}
	return counts
}

// An order has entries in the order of their placed rows. Several at once are dropped or inserted by moving what is
// between them, which takes a tenth of a millisecond for 100,000 entries.
type order []*entry

// find returns the index of an entry.
func (o order) find(e *entry, compare func(x, y *Row) int) int {
	return sort.Search(len(o), func(i int) bool { return compare(o[i].placed, e.placed) >= 0 })
}

// drop removes entries that are all there.
func (o *order) drop(entries []*entry, compare func(x, y *Row) int) {
	if len(entries) == 0 {
		return
	}
	positions := make([]int, len(entries))
	for i, e := range entries {
		positions[i] = o.find(e, compare)
	}
	slices.Sort(positions)
	items := *o
	to := positions[0]
	for i, position := range positions {
		end := len(items)
		if i+1 < len(positions) {
			end = positions[i+1]
		}
		to += copy(items[to:], items[position+1:end])
	}
	clear(items[to:])
	*o = items[:to]
}

// insert adds entries that are not there. It sorts them.
func (o *order) insert(entries []*entry, compare func(x, y *Row) int) {
	if len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(x, y *entry) int { return compare(x.placed, y.placed) })
	items := *o
	end := len(items) // of what has not moved yet
	items = append(items, entries...)
	for i, e := range slices.Backward(entries) {
		position := items[:end].find(e, compare)
		copy(items[position+i+1:], items[position:end])
		items[position+i] = e
		end = position
	}
	*o = items
}
