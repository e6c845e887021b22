package client

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccount implements payments.Accounts.
func (c *Client) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	call := operationCall{op: &contract.CreateAccount, body: account, key: key}
	return write(ctx, c, call, func(created *payments.Account) string {
		return cmp.Or(checkAccount(created), otherText("external id", created.ExternalID, account.ExternalID))
	})
}

// GetAccount implements payments.Accounts.
func (c *Client) GetAccount(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.Account], error) {
	call := operationCall{op: &contract.GetAccount, params: []string{accountID}, since: since}
	return read(ctx, c, call, accountWithID(accountID))
}

// UpdateAccount implements payments.Accounts.
func (c *Client) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	call := operationCall{op: &contract.UpdateAccount, params: []string{accountID}, body: patch, key: key}
	return write(ctx, c, call, accountWithID(accountID))
}

// ListAccounts implements payments.Accounts.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	return fetch(ctx, c, operationCall{op: &contract.ListAccounts, query: query},
		func(page *payments.AccountPage) string { return missing("data", page.Data != nil) })
}

// accountWithID returns the check of a response that must show the account with an identifier.
func accountWithID(id string) func(*payments.Account) string {
	return func(account *payments.Account) string {
		return cmp.Or(checkAccount(account), otherText("id", account.ID, id))
	}
}

func checkAccount(account *payments.Account) string { return missing("id", account.ID != "") }
