package payments

import (
	"context"
	"errors"
)

// A Match is what a list shows about the reference or the external id that was looked for. Only equal texts count: a
// transfer whose text merely looks the same can be another payment, so that it neither proves that this one was made
// nor that it was not.
type Match[T any] struct {
	Found bool
	First T // the oldest with equal texts, if Found
	// Others are the ids of the rest with equal texts, oldest first. Two transfers with one reference mean that it may
	// have been paid twice.
	Others []string
	// Near is the oldest whose texts look the same: they differ in case, in white space, in invisible characters or in
	// Unicode normal form. It is nil if Found, or if there is none.
	Near *T
}

// FindTransfers looks for transfers that have the reference and the external id of a filter, as far as the filter has
// them. It compares the texts itself, because a service may ignore the filter or compare less exactly.
func FindTransfers(ctx context.Context, service Transfers, filter TransferFilter) (Match[Transfer], error) {
	filter.Limit = LargestPage // a service that ignores the filter has many pages
	return find(func(cursor string) ([]Transfer, *string, error) {
		filter.Cursor = cursor
		page, err := service.ListTransfers(ctx, filter)
		return page.Data, page.NextCursor, err
	}, func(t Transfer) string { return t.ID }, func(t Transfer, same func(a, b string) bool) bool {
		return (filter.Reference == "" || same(t.Reference, filter.Reference)) &&
			(filter.ExternalID == "" || same(t.ExternalID, filter.ExternalID))
	})
}

// FindAccounts looks for accounts with an external id, by the same rules as FindTransfers.
func FindAccounts(ctx context.Context, service Accounts, externalID string) (Match[Account], error) {
	filter := AccountFilter{ExternalID: externalID, PageQuery: PageQuery{Limit: LargestPage}}
	return find(func(cursor string) ([]Account, *string, error) {
		filter.Cursor = cursor
		page, err := service.ListAccounts(ctx, filter)
		return page.Data, page.NextCursor, err
	}, func(a Account) string { return a.ID }, func(a Account, same func(a, b string) bool) bool {
		return same(a.ExternalID, externalID)
	})
}

// mostMatches bounds the transfers, accounts or contacts with one reference that are looked at. A usual service has one or two; a
// list that has ever more of them has no oldest one.
const mostMatches = 1000

// ErrManyMatches is the error of a list with more than 1,000 results with the text that was looked for.
var ErrManyMatches = errors.New(
	"the service shows more than 1,000 results with the same reference or external id, so that it cannot be told which one is meant")

// find reads all pages of a list, newest first. One that a page repeats, because the list has grown meanwhile, counts
// once.
func find[T any](
	list func(cursor string) ([]T, *string, error), id func(T) string, matches func(T, func(a, b string) bool) bool,
) (match Match[T], err error) {
	exact := func(a, b string) bool { return a == b }
	newestFirst, seen := []string(nil), map[string]bool{}
	var guard PageGuard
	for cursor := ""; ; {
		page, next, err := list(cursor)
		if err != nil {
			return Match[T]{}, err
		}
		for i, t := range page {
			switch {
			case matches(t, exact):
				if !seen[id(t)] {
					match.Found, match.First = true, t
					seen[id(t)] = true
					newestFirst = append(newestFirst, id(t))
					if len(newestFirst) > mostMatches {
						return Match[T]{}, ErrManyMatches
					}
				}
			case matches(t, LooksLike):
				match.Near = &page[i]
			}
		}
		if next == nil {
			break
		}
		cursor = *next
		if err := guard.Step(len(page), cursor); err != nil {
			return Match[T]{}, err
		}
	}
	if match.Found {
		match.Near = nil
	}
	for i := len(newestFirst) - 2; i >= 0; i-- { // the last one is First
		match.Others = append(match.Others, newestFirst[i])
	}
	return match, nil
}
