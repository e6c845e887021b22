package resource

import (
	"slices"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// A ListQuery is a list of Ts at the service, and the filters with which it is read.
type ListQuery[T any] struct {
	// Fetch reads a page.
	Fetch func(payments.PageQuery) (Page[T], error)
	// Created is the time of a row, to which Period applies. Nil means that rows have none.
	Created func(T) time.Time
	Period  cmdutil.Period
	// Matches reports whether the filters select a row. Nil means that all are selected. Each row that a service
	// returns is looked at, as the service may not have a filter, or ignore it.
	Matches func(T) bool
	// End is what the last page said of the rest of the list.
	End payments.ListEnd

	d        *cmdutil.Deps
	interval *cmdutil.Interval // of the period; nil means that flags give none
}

// A Page is a part of a list.
type Page[T any] struct {
	Rows []T
	Next *string // the cursor of the next page; nil means there is none
	End  payments.ListEnd
}

// During has the query select what was created in the interval of flags.
func (q *ListQuery[T]) During(d *cmdutil.Deps, interval *cmdutil.Interval) (err error) {
	q.d, q.interval = d, interval
	q.Period, err = interval.Period(d)
	return err
}

// MostRead bounds how many rows of a list are kept in memory, to sort them. It is the largest number of rows that any
// command keeps.
const MostRead = 100_000

// TooManyRows returns the error of a list of which more rows would have to be read. Why says for what.
func (q *ListQuery[T]) TooManyRows(why string) error {
	return cmdutil.Usage("%s, and there are more than 100,000", why).
		WithNote("select fewer with --created-after and --created-before, or with another filter")
}

// Each calls show with the rows of each page that match, until there were limit of them. Zero means all. Last reports
// that no page follows. More reports whether there may be further rows behind the last one that was shown.
func (q *ListQuery[T]) Each(limit int, show func(rows []T, last bool) error) (more bool, err error) {
	page := q.Period.Query()
	seen := map[string]bool{}
	filtersHere := false // until the service returns a row that is not selected
	var guard payments.PageGuard
	for shown, isFirst := 0, true; ; isFirst = false {
		page.Limit = payments.LargestPage
		if limit > 0 && !filtersHere {
			page.Limit = min(payments.LargestPage, limit-shown)
		}
		fetched, err := q.Fetch(page)
		if err == nil && isFirst && q.interval != nil {
			before := q.Period
			if q.Period, err = q.interval.Again(q.d, before); err == nil && q.Period != before {
				page = q.Period.Query()
				continue
			}
		}
		if err != nil {
			return false, err
		}
		all, next := fetched.Rows, fetched.Next
		q.End = fetched.End
		isBounded := !q.Period.Begin.IsZero() || !q.Period.End.IsZero()
		if isBounded && q.Created != nil && slices.ContainsFunc(all, func(row T) bool { return q.Created(row).IsZero() }) {
			return false, cmdutil.Usage("the service does not show when these were created, so they cannot be selected by that").
				WithNote("if it has the time under another name, set members.….createdAt in the profile")
		}
		rows := slices.DeleteFunc(slices.Clone(all), func(row T) bool {
			isSelected := (q.Matches == nil || q.Matches(row)) && (q.Created == nil || q.Period.Has(q.Created(row)))
			filtersHere = filtersHere || !isSelected
			if !isSelected {
				return true
			}
			// A list that grows while it is read can show a row on two pages, and its amount must not be added twice.
			id := Text(row, "id")
			before := id != "" && seen[id]
			seen[id] = true
			return before
		})
		cut := limit > 0 && len(rows) > limit-shown
		if cut {
			rows = rows[:limit-shown]
		}
		shown += len(rows)
		last := next == nil || limit > 0 && shown >= limit
		if err := show(rows, last); err != nil || last {
			if err == nil && next == nil && q.End == payments.ListIsCut && (limit == 0 || shown < limit) {
				err = payments.ErrCut
			}
			return cut || next != nil, err
		}
		ids := make([]string, len(all))
		for i, row := range all {
			ids[i] = Text(row, "id")
		}
		if err := guard.Step(*next, ids); err != nil {
			return true, err
		}
		page.Cursor = *next
	}
}
