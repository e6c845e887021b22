package resource

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/period"
	"github.com/payctl/payctl/internal/payments"
)

// A Query is a list of Ts at the service, and the filters with which it is read. A filter that the service does not have,
// ignores or refuses is applied to each row here, and a note says so.
type Query[T any] struct {
	// Fetch reads a page.
	Fetch func(payments.PageQuery) (rows []T, next *string, err error)
	// ID is the identifier of a row, by which a row that several pages have counts once; nil: rows have none.
	ID func(T) string
	// Created is the time of a row, to which Period applies.
	Created func(T) time.Time
	Period  period.Period
	Filters []*Filter[T]
	// Fewer is a hint how to select fewer rows; empty: by their period.
	Fewer string
}

// MostRead bounds how many rows of a list are read for the few that are shown: where the service does not filter, and
// where payctl sorts. It is the largest number of rows that any command keeps.
const MostRead = 100_000

// TooManyRows returns the error of a list of which more rows would have to be read. Why says for what.
func (q *Query[T]) TooManyRows(why string) error {
	return cmdutil.Usage("%s, and there are more than 100,000", why).WithHint(cmp.Or(q.Fewer,
		"select fewer with --created-after and --created-before, or with another filter that the service has"))
}

// A reader reads the rows of a query.
type reader[T any] struct {
	*Query[T]
	page    payments.PageQuery
	filters *Filters[T]
	seed    maphash.Seed
	seen    map[uint64]struct{} // hashes of the identifiers of rows, as a list may have millions of rows
}

// Each calls show with the rows of each page that match, until there were limit of them; zero: all. Last reports that no
// page follows. More reports whether there may be further rows behind the last one that was shown.
func (q *Query[T]) Each(d *cmdutil.Deps, limit int, show func(rows []T, last bool) error) (more bool, err error) {
	r := &reader[T]{Query: q, page: q.Period.Query(), seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
	r.filters = NewFilters(d, slices.Concat(q.Filters, r.periodFilters()))
	var guard payments.PageGuard
	for shown, read := 0, 0; ; {
		r.page.Limit = payments.LargestPage
		if limit > 0 && len(r.filters.here) == 0 {
			r.page.Limit = min(payments.LargestPage, limit-shown)
		}
		all, next, err := r.fetch()
		if err != nil {
			return false, err
		}
		rows := slices.DeleteFunc(r.withoutRepeated(all), func(row T) bool { return !r.filters.Match(row) })
		cut := limit > 0 && len(rows) > limit-shown
		if cut {
			rows = rows[:limit-shown]
		}
		shown += len(rows)
		last := next == nil || limit > 0 && shown >= limit
		if err := show(rows, last); err != nil || last {
			return cut || next != nil, err
		}
		if read += len(all); len(r.filters.here) > 0 && read >= MostRead {
			return true, q.TooManyRows("payctl looks through all rows where the service does not filter")
		}
		if err := guard.Step(len(all), *next); err != nil {
			return true, err
		}
		r.page.Cursor = *next
	}
}

// periodFilters are the filters of the period.
func (r *reader[T]) periodFilters() (filters []*Filter[T]) {
	if asked := r.page.CreatedAfter; !asked.IsZero() {
		filters = append(filters, &Filter[T]{
			Flag: "created-after", Parameter: "createdAfter", Known: true,
			Matches:   func(row T) bool { return !r.Created(row).Before(r.Period.Begin) },
			Drop:      func() { r.page.CreatedAfter = time.Time{} },
			tolerates: func(row T) bool { return !r.Created(row).Before(asked) },
		})
	}
	if !r.page.CreatedBefore.IsZero() {
		filters = append(filters, &Filter[T]{
			Flag: "created-before", Parameter: "createdBefore", Known: true,
			Matches:   func(row T) bool { return r.Created(row).Before(r.Period.End) },
			Drop:      func() { r.page.CreatedBefore = time.Time{} },
			tolerates: func(row T) bool { return r.Created(row).Equal(r.Period.End) },
		})
	}
	return filters
}

// fetch reads the next page. If the service refuses a parameter of the query, it asks again without it.
func (r *reader[T]) fetch() ([]T, *string, error) {
	for {
		rows, next, err := r.Fetch(r.page)
		if err == nil || !r.filters.DropRefused(err) {
			return rows, next, err
		}
	}
}

// withoutRepeated returns a copy of the rows without those that were read already. A list that grows while it is read
// can show a row on two pages, and its amount must not be added twice.
func (r *reader[T]) withoutRepeated(rows []T) []T {
	if r.ID == nil {
		return slices.Clone(rows)
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool {
		id := r.ID(row)
		hash := maphash.String(r.seed, id)
		_, before := r.seen[hash]
		r.seen[hash] = struct{}{}
		return before && id != ""
	})
}
