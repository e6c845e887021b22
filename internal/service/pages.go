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

// If no index has all conditions of a list, records are scanned in parts of scanPart. One page scans at most
// mostScanned, which takes some tens of milliseconds with SQLite. The next pages scan the rest.
const (
	scanPart    = 500
	mostScanned = 10_000
)

// A selection selects records of a table.
type selection[T any] struct {
	// where has the allowed values of indexed columns. A column with only empty values does not select. Only one column
	// may have several values.
	where map[string][]string
	// matches reports whether a record meets the conditions without an index. Nil means that there are none.
	matches func(*T) bool
}

// A datedRecord is a record with a time of creation.
type datedRecord[T any] interface {
	record[T]
	Created() time.Time
}

// record is a pointer to a T that a table can keep.
type record[T any] interface {
	*T
	store.Document
}

// page lists a table newest first. The cursor is the identifier of the last scanned record. New records come before the
// first page, so they shift nothing.
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

// checkCursor checks that a cursor is the identifier of a record of this world, deleted or not.
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

// isBefore reports whether a record with an identifier, and all with lesser ones, was created at or before a time. It
// is false for the zero time. A record is never created later than the time in its identifier.
func isBefore(id, prefix string, moment time.Time) bool {
	if moment.IsZero() {
		return false
	}
	parsed, ok := parseID(id, prefix)
	return ok && !parsed.Timestamp().After(moment)
}

// queries returns a query for each value of the column with several, or one query.
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

// readPart returns the records that a query selects, with the greatest identifiers below before.
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

// InvalidCursor returns the problem of a cursor that does not belong to the list.
func InvalidCursor() error {
	return invalidQuery("cursor", "must be the nextCursor of an earlier page of this list")
}

// convert applies f to each element. The result is never nil.
func convert[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

// texts converts values to strings.
func texts[T ~string](values []T) []string {
	return convert(values, func(value T) string { return string(value) })
}
