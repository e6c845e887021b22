package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) handleCreateAccount() error {
	request, key, err := decodeWrite(x, func(a payments.NewAccount) payments.FieldErrors {
		return a.Check(x.session.Now)
	})
	if err != nil {
		return err
	}
	account, err := x.session.Service.CreateAccount(x.ctx, request, key)
	return replyWrite(x, &account, contract.Expand(contract.GetAccount.Path, account.Value.ID), err)
}

func (x *exchange) handleGetAccount() error {
	options := x.readOptions()
	result, err := x.session.Service.GetAccount(x.ctx, x.r.PathValue("accountId"), options)
	return replyRead(x, options, result, err)
}

func (x *exchange) handleUpdateAccount() error {
	account := x.r.PathValue("accountId")
	patch, key, err := decodeWrite(x, func(patch payments.AccountPatch) payments.FieldErrors {
		return x.session.Checks.CheckAccountPatch(x.ctx, account, patch)
	})
	if err != nil {
		return err
	}
	updated, err := x.session.Service.UpdateAccount(x.ctx, account, patch, key)
	return replyWrite(x, &updated, "", err)
}

func (x *exchange) handleListAccounts() error {
	query := x.r.URL.Query()
	return x.reply(x.session.Service.ListAccounts(x.ctx, payments.AccountFilter{
		PageQuery:   parsePageQuery(query),
		KYCStatuses: listParameter[payments.KYCStatus](query, "kycStatus"),
		Email:       query.Get("email"),
		ExternalID:  query.Get("externalId"),
	}))
}
