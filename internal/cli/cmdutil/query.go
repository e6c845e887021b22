package cmdutil

import (
	"cmp"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"time"

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
	Period  Period
	Filters []Filter[T]
	// Fewer is a hint how to select fewer rows; empty: by their period.
	Fewer string
}

// A Filter is a flag that selects rows.
type Filter[T any] struct {
	// Flag is the name of the flag.
	Flag string
	// Parameter is its name in the query of the operation; empty: the contract has none.
	Parameter string
	// Matches reports whether the flag selects a row.
	Matches func(T) bool
	// Drop leaves the parameter out of the pages that are fetched from now on.
	Drop func()
	// Known says that the contract has the value, so that a service which refuses it does not have the parameter as it is.
	Known bool

	// tolerates reports whether a service that applies the filter may show a row that does not match; nil: never.
	tolerates func(T) bool
}

// MostRead bounds how many rows of a list are read for the few that are shown: where the service does not filter, and
// where payctl sorts. It is the largest number of rows that any command keeps.
const MostRead = 100_000

// TooManyRows returns the error of a list of which more rows would have to be read. Why says for what.
func (q *Query[T]) TooManyRows(why string) error {
	return Usage("%s, and there are more than 100,000", why).WithHint(cmp.Or(q.Fewer,
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
func (q *Query[T]) Each(d *Deps, limit int, show func(rows []T, last bool) error) (more bool, err error) {
	r := &reader[T]{Query: q, page: q.Period.query(), seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
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
func (r *reader[T]) periodFilters() (filters []Filter[T]) {
	if asked := r.page.CreatedAfter; !asked.IsZero() {
		filters = append(filters, Filter[T]{
			Flag: "created-after", Parameter: "createdAfter", Known: true,
			Matches:   func(row T) bool { return !r.Created(row).Before(r.Period.Begin) },
			Drop:      func() { r.page.CreatedAfter = time.Time{} },
			tolerates: func(row T) bool { return !r.Created(row).Before(asked) },
		})
	}
	if !r.page.CreatedBefore.IsZero() {
		filters = append(filters, Filter[T]{
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

// Filters are applied to the rows that a service returns, and notes say which of them it does not apply itself.
type Filters[T any] struct {
	// Notef shows the notes.
	Notef func(format string, args ...any)

	all  []Filter[T]
	here map[string]bool // the flags that are applied here alone
}

// NewFilters notes at once which filters the contract does not have.
func NewFilters[T any](d *Deps, all []Filter[T]) *Filters[T] {
	s := &Filters[T]{Notef: d.Notef, all: all, here: map[string]bool{}}
	for _, filter := range all {
		if filter.Parameter == "" {
			s.note(filter, "The service has no filter for")
		}
	}
	return s
}

// Match reports whether all filters select a row.
func (s *Filters[T]) Match(row T) bool {
	for _, f := range s.all {
		if f.Matches(row) {
			continue
		}
		if f.tolerates == nil || !f.tolerates(row) {
			s.note(f, "The service ignores")
		}
		return false
	}
	return true
}

// DropRefused drops the filter whose parameter the service refuses with an error. It reports whether there is one, so
// that the caller asks again.
func (s *Filters[T]) DropRefused(err error) bool {
	refused := slices.IndexFunc(s.all, func(f Filter[T]) bool { return !s.here[f.Flag] && f.refused(err) })
	if refused < 0 {
		return false
	}
	s.all[refused].Drop()
	s.note(s.all[refused], "The service refuses")
	return true
}

// note says once that a filter is applied here.
func (s *Filters[T]) note(f Filter[T], what string) {
	if !s.here[f.Flag] {
		s.here[f.Flag] = true
		s.Notef("%s --%s; payctl filters the rows itself.", what, f.Flag)
	}
}

// refusals are words with which a service refuses a parameter that it does not have.
var refusals = []string{
	"unknown", "not known", "unrecogni", "unexpected", "unsupported", "not supported", "not allowed", "not a parameter",
	"no such parameter", "additional",
}

// refused reports whether a service refuses the parameter, and not only its value.
func (f *Filter[T]) refused(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok || problem.Status != 400 || f.Parameter == "" {
		return false
	}
	messages, named := problem.Errors[f.Parameter]
	if named && f.Known {
		return true
	}
	text := strings.ToLower(strings.Join(messages, " "))
	if len(problem.Errors) == 0 {
		text = strings.ToLower(problem.Title + " " + problem.Detail)
		named = slices.Contains(strings.FieldsFunc(problem.Detail, isNoLetter), f.Parameter)
	}
	return named && slices.ContainsFunc(refusals, func(word string) bool { return strings.Contains(text, word) })
}

func isNoLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

// MemberFilter returns the filter of a flag that sets one text of a filter F of the service; none if it is empty. Matches
// applies an F to a row.
func MemberFilter[T, F any](
	flag, parameter string, all *F, member func(*F) *string, matches func(F, T) bool,
) []Filter[T] {
	if *member(all) == "" {
		return nil
	}
	var one F
	*member(&one) = *member(all)
	return []Filter[T]{{
		Flag: flag, Parameter: parameter,
		Matches: func(row T) bool { return matches(one, row) },
		Drop:    func() { *member(all) = "" },
	}}
}

// ListFilter is MemberFilter for a flag that takes several of the values that the contract has.
func ListFilter[T, F any, V ~string](
	flag, parameter string, all *F, member func(*F) *[]V, matches func(F, T) bool,
) []Filter[T] {
	if len(*member(all)) == 0 {
		return nil
	}
	var one F
	*member(&one) = *member(all)
	return []Filter[T]{{
		Flag: flag, Parameter: parameter, Known: true,
		Matches: func(row T) bool { return matches(one, row) },
		Drop:    func() { *member(all) = nil },
	}}
}
