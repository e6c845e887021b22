package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccount implements payments.Accounts.
func (c *Client) CreateAccount(ctx context.Context, account payments.NewAccount, key payments.Idempotency) (payments.Written[payments.Account], error) {
	return write(ctx, c, call{op: &contract.CreateAccount, body: account, key: key}, completeAccount)
}

// GetAccount implements payments.Accounts.
func (c *Client) GetAccount(ctx context.Context, accountID string) (payments.Account, error) {
	account, _, err := perform(ctx, c, call{op: &contract.GetAccount, params: []string{accountID}}, completeAccount)
	return account, err
}

// ListAccounts implements payments.Accounts.
func (c *Client) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	query := pageQuery(filter.PageQuery,
		"kycStatus", string(filter.KYCStatus), "email", filter.Email, "externalId", filter.ExternalID)
	page, _, err := perform(ctx, c, call{op: &contract.ListAccounts, query: query},
		func(page *payments.AccountPage) string { return lacks("data", page.Data != nil) })
	return page, err
}

func completeAccount(account *payments.Account) string { return lacks("id", account.ID != "") }
