package live

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/term"
)

// A board holds the rows, in the order in which they are shown when somebody looks.
type board struct {
	mu      sync.Mutex
	rows    map[string]*Row
	order   []*Row
	stale   bool // the order is
	trouble error
	since   time.Time // the trouble
	last    time.Time // the youngest status of all began
	said    string
}

func (b *board) put(row Row, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if before := b.rows[row.ID]; before != nil && row.Name == "" {
		row.Name = before.Name
	}
	b.rows[row.ID] = &row
	b.stale = true
	if row.Since.After(b.last) && !row.Since.After(now) { // what is still to come is a clock that is wrong
		b.last = row.Since
	}
}

// name gives a row that has none its name.
func (b *board) name(id, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if row := b.rows[id]; row != nil && row.Name == "" {
		named := *row
		named.Name = name
		b.rows[id] = &named
		b.stale = true
	}
}

func (b *board) remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, id)
	b.stale = true
}

func (b *board) condition(err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble, b.since = err, now
}

func (b *board) tell(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = text
}

// A count is how many rows have a status.
type count struct {
	status term.Cell
	rank   int
	n      int
}

// A picture is the board at a moment.
type picture struct {
	rows    []*Row // those that a filter lets through
	all     int
	counts  []count
	working bool
	trouble error
	since   time.Time
	last    time.Time
	said    string
}

// look returns the board as it is. Rows are never changed once they are there, so that they can be read without a lock.
func (b *board) look(filter string) picture {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stale {
		b.sort()
	}
	p := picture{rows: b.order, all: len(b.order), trouble: b.trouble, since: b.since, last: b.last, said: b.said}
	at := map[string]int{}
	for _, row := range b.order {
		p.working = p.working || row.Working
		i, known := at[row.Status.Text]
		if !known {
			i = len(p.counts)
			at[row.Status.Text] = i
			p.counts = append(p.counts, count{status: row.Status, rank: row.Rank})
		}
		p.counts[i].n++
	}
	if filter != "" {
		p.rows = nil
		for _, row := range b.order {
			if row.matches(filter) {
				p.rows = append(p.rows, row)
			}
		}
	}
	return p
}

// sort puts first what waits for a person, longest first.
func (b *board) sort() {
	b.order = make([]*Row, 0, len(b.rows))
	for _, row := range b.rows {
		b.order = append(b.order, row)
	}
	slices.SortFunc(b.order, func(x, y *Row) int {
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	})
	b.stale = false
}

// matches says whether a filter, in small letters, is part of what is shown of a row.
func (r *Row) matches(filter string) bool {
	for _, text := range []string{r.ID, r.Status.Text, r.Name, r.Why} {
		if strings.Contains(strings.ToLower(text), filter) {
			return true
		}
	}
	return false
}
