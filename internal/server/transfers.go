package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) createAutoTransfer() error {
	request, key, err := decodeKeyed(c, c.session.Checks.CheckNewAutoTransfer)
	if err != nil {
		return err
	}
	transfer, err := c.session.Service.CreateAutoTransfer(c.r.Context(), request, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &transfer, transfer.Value.AppendJSON, contract.Expand(contract.GetTransfer.Path, transfer.Value.ID))
}

func (c *call) getTransfer() error {
	since := c.condition()
	reading, err := c.session.Service.GetTransfer(c.r.Context(), c.r.PathValue("transferId"), since)
	if err != nil {
		return err
	}
	return replyReading(c, reading, since)
}

func (c *call) listTransfers() error {
	query := c.r.URL.Query()
	list, err := c.session.Service.ListTransfers(c.r.Context(), payments.TransferFilter{
		PageQuery:  pageQuery(query),
		AccountID:  query.Get("accountId"),
		State:      payments.TransferState(query.Get("state")),
		Reference:  query.Get("reference"),
		ExternalID: query.Get("externalId"),
		BatchID:    query.Get("batchId"),
	})
	if err != nil {
		return err
	}
	return c.reply(list)
}

func (c *call) cancelTransfer() error {
	body, err := c.readUnused()
	if err != nil {
		return err
	}
	key, err := c.idempotency(body)
	if err != nil {
		return err
	}
	transfer, err := c.session.Service.CancelTransfer(c.r.Context(), c.r.PathValue("transferId"), key)
	if err != nil {
		return err
	}
	return replyWritten(c, &transfer, transfer.Value.AppendJSON, "")
}
