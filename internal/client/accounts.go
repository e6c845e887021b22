package client

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetAccount implements payments.Accounts.
func (c *Client) GetAccount(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.Account], error) {
	call := operationCall{op: &contract.GetAccount, params: []string{accountID}, since: since}
	return read(ctx, c, call, accountWithID(accountID))
}

// ListAccounts implements payments.Accounts.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	return fetch(ctx, c, operationCall{op: &contract.ListAccounts, query: query},
		func(page *payments.AccountPage) string { return checkPage(page.Data != nil, &page.NextCursor) })
}

// accountWithID returns the check of a response to the question for the account with an identifier. One that does not show its
// id is shown all the same.
func accountWithID(id string) func(*payments.Account) string {
	return func(account *payments.Account) string {
		return cmp.Or(isNothing(account.Document), otherID(account.ID, id))
	}
}
