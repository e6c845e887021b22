package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccount implements payments.Accounts.
func (c *Client) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	return write(ctx, c, operationCall{op: &contract.CreateAccount, body: account, key: key}, checkAccount)
}

// GetAccount implements payments.Accounts.
func (c *Client) GetAccount(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.Account], error) {
	call := operationCall{op: &contract.GetAccount, params: []string{accountID}, since: since}
	return read(ctx, c, call, checkAccount)
}

// UpdateAccount implements payments.Accounts.
func (c *Client) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	call := operationCall{op: &contract.UpdateAccount, params: []string{accountID}, body: patch, key: key}
	return write(ctx, c, call, checkAccount)
}

// ListAccounts implements payments.Accounts.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", joined(filter.KYCStatuses), "email", filter.Email, "externalId", filter.ExternalID)
	return fetch(ctx, c, operationCall{op: &contract.ListAccounts, query: query},
		func(page *payments.AccountPage) string { return missing("data", page.Data != nil) })
}

func checkAccount(account *payments.Account) string { return missing("id", account.ID != "") }
