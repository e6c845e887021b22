package live

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// A board has the rows. It is safe for concurrent use.
type board struct {
	mu       sync.Mutex
	rows     map[string]*Row // none is changed once it is here
	order    []*Row
	unsorted bool // the order does not have the latest rows
	state
}

// state is what the view shows besides the rows.
type state struct {
	trouble      error // nil: all is well
	troubleSince time.Time
	lastChange   time.Time
	note         string
}

// update changes the board under its lock.
func (b *board) update(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *board) put(row Row, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if before := b.rows[row.ID]; before != nil && row.Name == "" {
		row.Name = before.Name
	}
	b.rows[row.ID], b.unsorted = &row, true
	if row.Since.After(b.lastChange) && !row.Since.After(now) { // a time to come is that of a clock which is ahead
		b.lastChange = row.Since
	}
}

// setName gives a row a name, unless it has one.
func (b *board) setName(id, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if row := b.rows[id]; row != nil && row.Name == "" {
		named := *row
		named.Name = name
		b.rows[id], b.unsorted = &named, true
	}
}

// A statusCount is how many rows have a status.
type statusCount struct {
	status ui.Cell
	n      int
}

// A snapshot is what the board has at one time.
type snapshot struct {
	state
	rows    []*Row // that match the filter
	all     int
	counts  []statusCount
	working bool // one row at least
}

// snapshot returns the present rows in their order. The filter is in lower case.
func (b *board) snapshot(filter string) snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unsorted {
		b.order, b.unsorted = slices.SortedFunc(maps.Values(b.rows), compareRows), false
	}
	s := snapshot{state: b.state, rows: b.order, all: len(b.order)}
	index := map[string]int{} // in counts
	for _, row := range b.order {
		s.working = s.working || row.Working
		i, known := index[row.Status.Text]
		if !known {
			i = len(s.counts)
			index[row.Status.Text] = i
			s.counts = append(s.counts, statusCount{status: row.Status})
		}
		s.counts[i].n++
	}
	if filter != "" {
		s.rows = slices.DeleteFunc(slices.Clone(b.order), func(row *Row) bool { return !row.matches(filter) })
	}
	return s
}

// compareRows orders rows by rank, and within a rank the longest in their status first.
func compareRows(x, y *Row) int {
	return cmp.Or(cmp.Compare(x.Rank, y.Rank), x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
}

// matches reports whether a filter in lower case is part of what is shown of the row.
func (r *Row) matches(filter string) bool {
	return slices.ContainsFunc([]string{r.ID, r.Status.Text, r.Name, r.Why}, func(text string) bool {
		return strings.Contains(strings.ToLower(text), filter)
	})
}
