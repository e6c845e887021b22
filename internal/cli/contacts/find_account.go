package contacts

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// mostAccounts bounds the accounts with one external id that are looked at. A usual service has one.
const mostAccounts = 1000

// accountsWithExternalID returns the ids of the accounts with an external id, oldest first. It compares the texts itself,
// because a service may ignore the filter or compare less exactly. The error is payments.ErrManyMatches for more than
// 1,000 accounts, and payments.ErrEndless for a list that begins anew at its end.
func accountsWithExternalID(ctx context.Context, service payments.Reads, externalID string) (ids []string, err error) {
	filter := payments.AccountFilter{ExternalID: externalID, PageQuery: payments.PageQuery{Limit: payments.LargestPage}}
	var guard payments.PageGuard
	for {
		page, err := service.ListAccounts(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, account := range page.Data {
			// A list that has grown meanwhile repeats an account on the next page.
			if account.ExternalID == externalID && !slices.Contains(ids, account.ID) {
				ids = append(ids, account.ID)
			}
		}
		if len(ids) > mostAccounts {
			return nil, payments.ErrManyMatches
		}
		if page.NextCursor == nil {
			slices.Reverse(ids)
			return ids, nil
		}
		filter.Cursor = *page.NextCursor
		if err := guard.Step(len(page.Data), filter.Cursor); err != nil {
			return nil, err
		}
	}
}
