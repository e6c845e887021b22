package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccount implements payments.Accounts.
func (c *Client) CreateAccount(ctx context.Context, account payments.NewAccount, key payments.Idempotency) (payments.Written[payments.Account], error) {
	return write(ctx, c, call{op: &contract.CreateAccount, body: account, key: key}, completeAccount, recovery[payments.Account]{
		read: c.GetAccount,
		find: c.findAccount(account.ExternalID),
		of:   func(a payments.Account) (subject, state string) { return a.ID, string(a.KYCStatus) },
	})
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

// findAccount looks for an account by the id that its maker gave it; nil when there is none.
func (c *Client) findAccount(externalID string) func(context.Context) (payments.Account, bool, error) {
	if externalID == "" {
		return nil
	}
	return func(ctx context.Context) (payments.Account, bool, error) {
		return payments.FirstAccount(ctx, c, externalID)
	}
}
