package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAutoTransfer implements payments.Transfers.
func (c *Client) CreateAutoTransfer(ctx context.Context, transfer payments.NewAutoTransfer, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return write(ctx, c, call{op: &contract.CreateAutoTransfer, body: transfer, key: key}, completeTransfer)
}

// GetTransfer implements payments.Transfers.
func (c *Client) GetTransfer(ctx context.Context, transferID string, since payments.Condition) (payments.Reading[payments.Transfer], error) {
	return read(ctx, c, call{op: &contract.GetTransfer, params: []string{transferID}, since: since}, completeTransfer)
}

// ListTransfers implements payments.Transfers.
func (c *Client) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	query := pageQuery(filter.PageQuery,
		"accountId", filter.AccountID, "state", string(filter.State), "reference", filter.Reference,
		"externalId", filter.ExternalID, "batchId", filter.BatchID)
	page, _, err := perform(ctx, c, call{op: &contract.ListTransfers, query: query},
		func(page *payments.TransferPage) string { return lacks("data", page.Data != nil) })
	return page, err
}

// CancelTransfer implements payments.Transfers.
func (c *Client) CancelTransfer(ctx context.Context, transferID string, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return write(ctx, c, call{op: &contract.CancelTransfer, params: []string{transferID}, key: key}, completeTransfer)
}

func completeTransfer(transfer *payments.Transfer) string { return lacks("id", transfer.ID != "") }
