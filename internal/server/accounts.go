package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) createAccount() error {
	request, key, err := decodeKeyed(c, func(a payments.NewAccount) payments.FieldErrors { return a.Check(c.session.Now) })
	if err != nil {
		return err
	}
	account, err := c.session.Service.CreateAccount(c.r.Context(), request, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &account, account.Value.AppendJSON, contract.Expand(contract.GetAccount.Path, account.Value.ID))
}

func (c *call) getAccount() error {
	account, err := c.session.Service.GetAccount(c.r.Context(), c.r.PathValue("accountId"))
	if err != nil {
		return err
	}
	return c.reply(account)
}

func (c *call) listAccounts() error {
	query := c.r.URL.Query()
	list, err := c.session.Service.ListAccounts(c.r.Context(), payments.AccountFilter{
		PageQuery:  pageQuery(query),
		KYCStatus:  payments.KYCStatus(query.Get("kycStatus")),
		Email:      query.Get("email"),
		ExternalID: query.Get("externalId"),
	})
	if err != nil {
		return err
	}
	return c.reply(list)
}
