package service

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// defaultLimit is how many rows a page has when the query does not say.
const defaultLimit = 20

// page lists a table newest first. The cursor is the identifier of the last row, so that rows that are added
// meanwhile, which come before the first page, shift nothing. Columns in where that are empty do not filter.
func page[T any, P store.Record[T]](
	table store.Table[T], prefix string, q payments.PageQuery, where map[string]string,
) (rows []*T, next *string, err error) {
	if _, ok := parseID(q.Cursor, prefix); q.Cursor != "" && !ok {
		return nil, nil, InvalidCursor()
	}
	limit := q.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	for column, value := range where {
		if value == "" {
			delete(where, column)
		}
	}
	rows, err = table.List(store.Query{Where: where, Before: q.Cursor, CreatedAfter: q.CreatedAfter, Limit: limit + 1})
	if err != nil || len(rows) <= limit {
		return rows, nil, err
	}
	return rows[:limit], new(P(rows[limit-1]).RecordID()), nil
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
