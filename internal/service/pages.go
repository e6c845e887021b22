package service

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// defaultLimit is how many rows a page has when the request does not say.
const defaultLimit = 20

// page lists a table newest first. The cursor is the identifier of the last row, so that rows added meanwhile, which
// come before the first page, shift nothing.
func page[T any, P store.Record[T]](table store.Table[T], prefix string, q payments.PageQuery, where map[string]string) ([]*T, *string, error) {
	if q.Cursor != "" && !isID(q.Cursor, prefix) {
		refusal := payments.Invalid(payments.FieldErrors{"cursor": {"The cursor field must be the nextCursor of an earlier page of this list."}})
		refusal.Detail = "The request's query failed validation."
		return nil, nil, refusal
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
	rows, err := table.List(store.Query{Where: where, Before: q.Cursor, CreatedAfter: q.CreatedAfter, Limit: limit + 1})
	if err != nil || len(rows) <= limit {
		return rows, nil, err
	}
	next := P(rows[limit-1]).RecordID()
	return rows[:limit], &next, nil
}

// convert applies f to each element; the result is never nil.
func convert[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}
