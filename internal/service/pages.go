package service

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Where no index has all conditions of a list, records are looked at in parts of scanPart, and at most mostScanned of
// them for one page, which takes some tens of milliseconds with SQLite. The pages that follow look at the rest.
const (
	scanPart    = 500
	mostScanned = 10_000
)

// A selection selects records of a table.
type selection[T any] struct {
	// where holds the values that indexed columns may have. A column with no or only empty values does not select. Only
	// one column may have several values.
	where map[string][]string
	// matches reports whether a record meets the conditions that no index has; nil: there are none.
	matches func(*T) bool
}

// A datedRecord is a record that pages select by when it was created.
type datedRecord[T any] interface {
	record[T]
	Created() time.Time
}

// record is a pointer to a T that a table can keep.
type record[T any] interface {
	*T
	store.Document
}

// page lists a table newest first. The cursor is the identifier of the last record that was looked at, so that records
// that are added meanwhile, which come before the first page, shift nothing.
func page[T any, P datedRecord[T]](
	w *work, table store.Table[T], prefix string, q payments.PageQuery, s selection[T],
) (rows []*T, next *string, err error) {
	if q.Cursor != "" {
		if err := checkCursor(w, table, prefix, q.Cursor); err != nil {
			return nil, nil, err
		}
	}
	limit := cmp.Or(q.Limit, payments.DefaultPage)
	part := limit + 1
	if s.matches != nil || !q.CreatedAfter.IsZero() || !q.CreatedBefore.IsZero() {
		part = max(part, scanPart)
	}
	queries := s.queries(part)
	rows = make([]*T, 0, limit)
	last := q.Cursor
	for looked := 0; ; looked += part {
		if looked >= mostScanned {
			return rows, &last, nil
		}
		found, err := readPart[T, P](table, queries, last, part)
		if err != nil {
			return nil, nil, err
		}
		for _, record := range found {
			id := P(record).DocumentID()
			if isBefore(id, prefix, q.CreatedAfter) {
				return rows, nil, nil
			}
			if q.Includes(P(record).Created()) && (s.matches == nil || s.matches(record)) {
				if len(rows) == limit {
					return rows, new(P(rows[limit-1]).DocumentID()), nil
				}
				rows = append(rows, record)
			}
			last = id
		}
		if len(found) < part {
			return rows, nil, nil
		}
	}
}

// checkCursor checks that a cursor is the identifier of a record of this world, which may have been deleted since.
func checkCursor[T any](w *work, table store.Table[T], prefix, cursor string) error {
	if _, ok := parseID(cursor, prefix); !ok {
		return InvalidCursor()
	}
	_, err := table.Get(cursor)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	events, err := w.Events().After(store.EventQuery{Subject: cursor, Limit: 1})
	if err == nil && len(events) == 0 {
		err = InvalidCursor()
	}
	return err
}

// isBefore reports whether an identifier, and so its record and those with lesser identifiers, was made at or before a
// time; zero is before all of them. A record is never created later than the time in its identifier says.
func isBefore(id, prefix string, moment time.Time) bool {
	if moment.IsZero() {
		return false
	}
	parsed, ok := parseID(id, prefix)
	return ok && !parsed.Timestamp().After(moment)
}

// queries returns a query for each value of the column that may have several, or a single one.
func (s selection[T]) queries(limit int) []store.Query {
	all := []store.Query{{Limit: limit, Where: map[string]string{}}}
	for column, values := range s.where {
		var with []store.Query
		for _, value := range slices.Compact(slices.Sorted(slices.Values(values))) {
			if value == "" {
				continue
			}
			for _, query := range all {
				query.Where = maps.Clone(query.Where)
				query.Where[column] = value
				with = append(with, query)
			}
		}
		if len(with) > 0 {
			all = with
		}
	}
	return all
}

// readPart returns the records with the greatest identifiers, less than before, that one of the queries selects.
func readPart[T any, P record[T]](
	table store.Table[T], queries []store.Query, before string, part int,
) (records []*T, err error) {
	for _, query := range queries {
		query.Before = before
		found, err := table.List(query)
		if err != nil {
			return nil, err
		}
		records = append(records, found...)
	}
	if len(queries) > 1 {
		slices.SortFunc(records, func(a, b *T) int { return cmp.Compare(P(b).DocumentID(), P(a).DocumentID()) })
	}
	return records[:min(part, len(records))], nil
}

// InvalidCursor returns the problem of a cursor that no page of a list has.
func InvalidCursor() error {
	return invalidQuery("cursor", "must be the nextCursor of an earlier page of this list")
}

// convert applies f to each element; the result is never nil.
func convert[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

// texts returns values of a kind of text as texts.
func texts[T ~string](values []T) []string {
	return convert(values, func(value T) string { return string(value) })
}
