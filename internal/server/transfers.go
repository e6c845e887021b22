package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) handleCreateAutoTransfer() error {
	request, key, err := decodeWrite(x, x.session.Checks.CheckNewAutoTransfer)
	if err != nil {
		return err
	}
	transfer, err := x.session.Service.CreateAutoTransfer(x.ctx, request, key)
	return replyWrite(x, &transfer, contract.Expand(contract.GetTransfer.Path, transfer.Value.ID), err)
}

func (x *exchange) handleGetTransfer() error {
	options := x.readOptions()
	result, err := x.session.Service.GetTransfer(x.ctx, x.r.PathValue("transferId"), options)
	return replyRead(x, options, result, err)
}

func (x *exchange) handleListTransfers() error {
	query := x.r.URL.Query()
	return x.reply(x.session.Service.ListTransfers(x.ctx, payments.TransferFilter{
		PageQuery:  parsePageQuery(query),
		AccountID:  query.Get("accountId"),
		ContactID:  query.Get("destinationSavedContactId"),
		Route:      query.Get("route"),
		States:     listParameter[payments.TransferState](query, "state"),
		Reference:  query.Get("reference"),
		ExternalID: query.Get("externalId"),
		BatchID:    query.Get("batchId"),
	}))
}

func (x *exchange) handleCancelTransfer() error {
	body, err := x.readUnusedBody()
	if err != nil {
		return err
	}
	key, err := x.idempotency(body)
	if err != nil {
		return err
	}
	transfer, err := x.session.Service.CancelTransfer(x.ctx, x.r.PathValue("transferId"), key)
	return replyWrite(x, &transfer, "", err)
}
